// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import StatementTraits
import TaskModel
import Testing

@Suite("The header's constants keep their shipped values")
struct ConstantTests {
    @Test(.proves("C18"))
    func `every numeric constant of the header has its shipped value and type, reserved ones included`() {
        for constant in Self.signed { #expect(constant.value == constant.shipped, Self.remedy(constant.name)) }
        for constant in Self.unsigned { #expect(constant.value == constant.shipped, Self.remedy(constant.name)) }
        for constant in Self.wide { #expect(constant.value == constant.shipped, Self.remedy(constant.name)) }
        #expect(BGTASK_NOTE_OWNER == "bgtask")
        #expect(BGTASK_NOTE_SECTION == ".note.bgtask")
        #expect(BGTASK_ENTRY_SYMBOL == "bgtask_plugin_entry")
    }

    private static func remedy(_ name: String) -> Comment {
        if name == "BGTASK_ABI_MINOR" { return "it is raised with each growth of the ABI; update this table" }
        return "\(name): built plugins contain this number; keep it, and define a new constant with an unused number"
    }

    @Test func `the test's table of constants lists exactly the names of the header's numeric constants`() throws {
        let defined = try Header.text().matches(of: /#define (BGT(?:ASK)?_[A-Z0-9_]+) +[0-9]/).map { String($0.1) }
        let golden = Self.signed.map(\.name) + Self.unsigned.map(\.name) + Self.wide.map(\.name)
        let difference = Set(defined).symmetricDifference(golden).sorted()
        #expect(
            difference.isEmpty,
            "keep the constants that have shipped; add a new one with its number to this table, and raise BGTASK_ABI_MINOR"
        )
    }

    @Test func `the host's list of optional features is the list that the header names`() throws {
        let named = try Header.text().matches(of: /#define BGTASK_[A-Z_]+ +"(bgtask\.[^"]+)"/).map { String($0.1) }
        #expect(named == HostFeatures.ofABI)
    }

    @Test(arguments: [
        "BGT_KIND_", "BGT_LANE_", "BGT_ROLE_", "BGT_CAUSE_", "BGT_EVENT_", "BGT_EXPIRED_", "BGT_LOG_",
        "BGT_VOCABULARY_",
    ])
    func `constants of one prefix are distinct and not zero, for eight prefixes of the header's enumerations`(
        prefix: String
    ) {
        let numbers = Self.unsigned.filter { $0.name.hasPrefix(prefix) }.map(\.value)
        #expect(numbers.contains(0) == false)
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers.isEmpty == false)
    }

    @Test func `the constants of transfers, which no vocabulary names, have their shipped values`() {
        #expect([BGT_TRANSFER_DOWNLOAD, BGT_TRANSFER_UPLOAD] == [1, 2])
        #expect([BGT_TRANSFER_DISCRETIONARY, BGT_TAKE_REPLACE] == [1, 1])
        #expect([BGT_TRANSFER_WAITING, BGT_TRANSFER_RUNNING, BGT_TRANSFER_PAUSED] == [1, 2, 3])
        #expect([BGT_TRANSFER_FINISHED, BGT_TRANSFER_FAILED, BGT_TRANSFER_CANCELLED] == [4, 5, 6])
    }

    /// The signed constants: statuses, outcomes, and constants that the preprocessor compares, each with the value that
    /// shipped.
    static let signed: [(name: String, value: Int32, shipped: Int32)] = [
        ("BGT_OK", BGT_OK, 0),
        ("BGT_UNAVAILABLE", BGT_UNAVAILABLE, 1),
        ("BGT_TOO_MANY_PENDING", BGT_TOO_MANY_PENDING, 2),
        ("BGT_NOT_PERMITTED", BGT_NOT_PERMITTED, 3),
        ("BGT_IMMEDIATE_RUN_INELIGIBLE", BGT_IMMEDIATE_RUN_INELIGIBLE, 4),
        ("BGT_NOT_OFFERED", BGT_NOT_OFFERED, 100),
        ("BGT_INVALID", BGT_INVALID, 101),
        ("BGT_WRONG_PHASE", BGT_WRONG_PHASE, 102),
        ("BGT_WRONG_ROLE", BGT_WRONG_ROLE, 103),
        ("BGT_DUPLICATE", BGT_DUPLICATE, 104),
        ("BGT_UNREGISTERED", BGT_UNREGISTERED, 105),
        ("BGT_NO_SUCH_TASK", BGT_NO_SUCH_TASK, 106),
        ("BGT_ALREADY_COMPLETED", BGT_ALREADY_COMPLETED, 107),
        ("BGT_TOO_NEW", BGT_TOO_NEW, 108),
        ("BGT_TRUNCATED", BGT_TRUNCATED, 109),
        ("BGT_NOT_FOUND", BGT_NOT_FOUND, 110),
        ("BGT_ENDED", BGT_ENDED, 111),
        ("BGT_WRONG_KIND", BGT_WRONG_KIND, 112),
        ("BGT_OUTCOME_SUCCESS", BGT_OUTCOME_SUCCESS, 1),
        ("BGT_OUTCOME_FAILURE", BGT_OUTCOME_FAILURE, 2),
        ("BGT_OUTCOME_NO_DATA", BGT_OUTCOME_NO_DATA, 3),
        ("BGTASK_REFUSAL_TEXT_MAX", BGTASK_REFUSAL_TEXT_MAX, 240),
    ]

    /// The unsigned constants: enumerations and limits, each with the value that shipped.
    static let unsigned: [(name: String, value: UInt32, shipped: UInt32)] = [
        ("BGTASK_ABI_MAJOR", BGTASK_ABI_MAJOR, 1),
        ("BGTASK_ABI_MINOR", BGTASK_ABI_MINOR, 0),
        ("BGT_REASON_NONE", BGT_REASON_NONE, 0),
        ("BGT_REASON_NOT_OFFERED", BGT_REASON_NOT_OFFERED, 1),
        ("BGT_REASON_BACKGROUND_REFRESH_OFF", BGT_REASON_BACKGROUND_REFRESH_OFF, 2),
        ("BGT_REASON_PLUGIN_DISABLED", BGT_REASON_PLUGIN_DISABLED, 3),
        ("BGT_REASON_NOT_RECORDED", BGT_REASON_NOT_RECORDED, 4),
        ("BGT_REASON_HOST_STOPPING", BGT_REASON_HOST_STOPPING, 5),
        ("BGT_REASON_SUBMITTER_MAY_NOT_SCHEDULE", BGT_REASON_SUBMITTER_MAY_NOT_SCHEDULE, 6),
        ("BGT_REASON_PLUGIN_MISSING", BGT_REASON_PLUGIN_MISSING, 7),
        ("BGT_REASON_REFRESH_LIMIT", BGT_REASON_REFRESH_LIMIT, 10),
        ("BGT_REASON_PROCESSING_LIMIT", BGT_REASON_PROCESSING_LIMIT, 11),
        ("BGT_REASON_CONTINUED_LIMIT", BGT_REASON_CONTINUED_LIMIT, 12),
        ("BGT_REASON_EVENT_LIMIT", BGT_REASON_EVENT_LIMIT, 13),
        ("BGT_REASON_IDENTIFIER_NOT_PERMITTED", BGT_REASON_IDENTIFIER_NOT_PERMITTED, 20),
        ("BGT_REASON_MODE_FETCH_MISSING", BGT_REASON_MODE_FETCH_MISSING, 21),
        ("BGT_REASON_MODE_PROCESSING_MISSING", BGT_REASON_MODE_PROCESSING_MISSING, 22),
        ("BGT_REASON_NOT_IN_FOREGROUND", BGT_REASON_NOT_IN_FOREGROUND, 23),
        ("BGT_REASON_RESOURCES_UNSUPPORTED", BGT_REASON_RESOURCES_UNSUPPORTED, 24),
        ("BGT_REASON_ENTITLEMENT_MISSING", BGT_REASON_ENTITLEMENT_MISSING, 25),
        ("BGT_REASON_BACKGROUND_DENIED", BGT_REASON_BACKGROUND_DENIED, 26),
        ("BGT_REASON_NOT_ITS_MAIN_PLUGIN", BGT_REASON_NOT_ITS_MAIN_PLUGIN, 27),
        ("BGT_REASON_NOT_AN_EXTENSION", BGT_REASON_NOT_AN_EXTENSION, 28),
        ("BGT_REASON_MODE_REMOTE_NOTIFICATION_MISSING", BGT_REASON_MODE_REMOTE_NOTIFICATION_MISSING, 29),
        ("BGT_REASON_DEADLINE_PASSED", BGT_REASON_DEADLINE_PASSED, 31),
        ("BGT_REASON_TRANSFER_LIMIT", BGT_REASON_TRANSFER_LIMIT, 14),
        ("BGT_REASON_ALERT_LIMIT", BGT_REASON_ALERT_LIMIT, 15),
        ("BGT_REASON_NETWORK_NOT_GRANTED", BGT_REASON_NETWORK_NOT_GRANTED, 32),
        ("BGT_REASON_TRANSFER_LIBRARY_MISSING", BGT_REASON_TRANSFER_LIBRARY_MISSING, 33),
        ("BGT_REASON_NO_CAPACITY_NOW", BGT_REASON_NO_CAPACITY_NOW, 30),
        ("BGT_KIND_REFRESH", BGT_KIND_REFRESH, 1),
        ("BGT_KIND_PROCESSING", BGT_KIND_PROCESSING, 2),
        ("BGT_KIND_HEALTH_RESEARCH", BGT_KIND_HEALTH_RESEARCH, 3),
        ("BGT_KIND_CONTINUED", BGT_KIND_CONTINUED, 4),
        ("BGT_KIND_EVENT", BGT_KIND_EVENT, 5),
        ("BGT_LANE_BACKGROUND", BGT_LANE_BACKGROUND, 1),
        ("BGT_LANE_EVENT", BGT_LANE_EVENT, 2),
        ("BGT_LANE_CONTINUED", BGT_LANE_CONTINUED, 3),
        ("BGT_ROLE_MAIN", BGT_ROLE_MAIN, 1),
        ("BGT_ROLE_EXTENSION", BGT_ROLE_EXTENSION, 2),
        ("BGT_CAUSE_DUE", BGT_CAUSE_DUE, 1),
        ("BGT_CAUSE_USER", BGT_CAUSE_USER, 2),
        ("BGT_CAUSE_EVENT", BGT_CAUSE_EVENT, 3),
        ("BGT_CAUSE_RELAUNCH", BGT_CAUSE_RELAUNCH, 4),
        ("BGT_EVENT_STARTED", BGT_EVENT_STARTED, 1),
        ("BGT_EVENT_TRIGGER", BGT_EVENT_TRIGGER, 2),
        ("BGT_EVENT_FETCH", BGT_EVENT_FETCH, 3),
        ("BGT_EVENT_PUSH", BGT_EVENT_PUSH, 4),
        ("BGT_EVENT_TRANSFERS_FINISHED", BGT_EVENT_TRANSFERS_FINISHED, 5),
        ("BGT_EVENT_NOTIFICATION", BGT_EVENT_NOTIFICATION, 6),
        ("BGT_EXPIRED_BUDGET", BGT_EXPIRED_BUDGET, 1),
        ("BGT_EXPIRED_EXTERNAL_POWER_LOST", BGT_EXPIRED_EXTERNAL_POWER_LOST, 2),
        ("BGT_EXPIRED_NETWORK_LOST", BGT_EXPIRED_NETWORK_LOST, 3),
        ("BGT_EXPIRED_NOT_IDLE", BGT_EXPIRED_NOT_IDLE, 4),
        ("BGT_EXPIRED_STOPPED_BY_USER", BGT_EXPIRED_STOPPED_BY_USER, 5),
        ("BGT_EXPIRED_NO_PROGRESS", BGT_EXPIRED_NO_PROGRESS, 6),
        ("BGT_EXPIRED_MEMORY_PRESSURE", BGT_EXPIRED_MEMORY_PRESSURE, 7),
        ("BGT_EXPIRED_HOST_SHUTDOWN", BGT_EXPIRED_HOST_SHUTDOWN, 8),
        ("BGT_EXPIRED_CONTAINER_LOCKED", BGT_EXPIRED_CONTAINER_LOCKED, 9),
        ("BGT_EXPIRED_LEASE_LOST", BGT_EXPIRED_LEASE_LOST, 10),
        ("BGT_LOG_DEBUG", BGT_LOG_DEBUG, 1),
        ("BGT_LOG_INFO", BGT_LOG_INFO, 2),
        ("BGT_LOG_WARNING", BGT_LOG_WARNING, 3),
        ("BGT_LOG_ERROR", BGT_LOG_ERROR, 4),
        ("BGT_VOCABULARY_STATUS", BGT_VOCABULARY_STATUS, 1),
        ("BGT_VOCABULARY_REASON", BGT_VOCABULARY_REASON, 2),
        ("BGT_VOCABULARY_KIND", BGT_VOCABULARY_KIND, 3),
        ("BGT_VOCABULARY_LANE", BGT_VOCABULARY_LANE, 4),
        ("BGT_VOCABULARY_ROLE", BGT_VOCABULARY_ROLE, 5),
        ("BGT_VOCABULARY_CAUSE", BGT_VOCABULARY_CAUSE, 6),
        ("BGT_VOCABULARY_EVENT", BGT_VOCABULARY_EVENT, 7),
        ("BGT_VOCABULARY_OUTCOME", BGT_VOCABULARY_OUTCOME, 8),
        ("BGT_VOCABULARY_EXPIRED", BGT_VOCABULARY_EXPIRED, 9),
        ("BGT_VOCABULARY_LOG", BGT_VOCABULARY_LOG, 10),
        ("BGT_VOCABULARY_FLAG", BGT_VOCABULARY_FLAG, 11),
        ("BGT_VOCABULARY_PROTECTION", BGT_VOCABULARY_PROTECTION, 12),
        ("BGT_VOCABULARY_STRATEGY", BGT_VOCABULARY_STRATEGY, 13),
        ("BGT_VOCABULARY_RESOURCE", BGT_VOCABULARY_RESOURCE, 14),
        ("BGT_VOCABULARY_VOCABULARY", BGT_VOCABULARY_VOCABULARY, 15),
        ("BGT_NEEDS_NETWORK", BGT_NEEDS_NETWORK, 1),
        ("BGT_NEEDS_EXTERNAL_POWER", BGT_NEEDS_EXTERNAL_POWER, 2),
        ("BGT_PROTECTION_UNTIL_FIRST_AUTHENTICATION", BGT_PROTECTION_UNTIL_FIRST_AUTHENTICATION, 0x000),
        ("BGT_PROTECTION_NONE", BGT_PROTECTION_NONE, 0x100),
        ("BGT_PROTECTION_UNLESS_OPEN", BGT_PROTECTION_UNLESS_OPEN, 0x200),
        ("BGT_PROTECTION_COMPLETE", BGT_PROTECTION_COMPLETE, 0x300),
        ("BGTASK_PROTECTION_MASK", BGTASK_PROTECTION_MASK, 0x300),
        ("BGT_STRATEGY_QUEUE", BGT_STRATEGY_QUEUE, 1),
        ("BGT_STRATEGY_FAIL", BGT_STRATEGY_FAIL, 2),
        ("BGTASK_IDENTIFIER_MAX", BGTASK_IDENTIFIER_MAX, 255),
        ("BGTASK_TITLE_MAX", BGTASK_TITLE_MAX, 255),
        ("BGTASK_PAYLOAD_MAX", BGTASK_PAYLOAD_MAX, 65536),
        ("BGTASK_PUSH_PAYLOAD_MAX", BGTASK_PUSH_PAYLOAD_MAX, 4096),
        ("BGTASK_ASSERTIONS_MAX", BGTASK_ASSERTIONS_MAX, 64),
        ("BGTASK_CURSOR_MAX", BGTASK_CURSOR_MAX, 4_096),
        ("BGTASK_PUSH_TOKEN_MAX", BGTASK_PUSH_TOKEN_MAX, 64),
        ("BGTASK_SESSION_MAX", BGTASK_SESSION_MAX, 64),
        ("BGTASK_LABEL_MAX", BGTASK_LABEL_MAX, 256),
        ("BGTASK_URL_MAX", BGTASK_URL_MAX, 8192),
        ("BGTASK_HEADERS_MAX", BGTASK_HEADERS_MAX, 64),
        ("BGTASK_HEADERS_SIZE_MAX", BGTASK_HEADERS_SIZE_MAX, 16_384),
        ("BGTASK_SHA256_SIZE", BGTASK_SHA256_SIZE, 32),
        ("BGTASK_NOTIFICATION_MAX", BGTASK_NOTIFICATION_MAX, 4096),
        ("BGTASK_MESSAGE_MAX", BGTASK_MESSAGE_MAX, 1024),
        ("BGTASK_LOG_MAX", BGTASK_LOG_MAX, 4096),
        ("BGTASK_NOTE_TYPE", BGTASK_NOTE_TYPE, 1),
    ]

    static let wide: [(name: String, value: UInt64, shipped: UInt64)] = [
        ("BGT_RESOURCE_GPU", BGT_RESOURCE_GPU, 1),
        ("BGTASK_NO_DEADLINE", BGTASK_NO_DEADLINE, .max),
        ("BGTASK_QUIET_MAX", BGTASK_QUIET_MAX, 1_000_000_000),
    ]
}
