// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A group of numbers of the plugin ABI; the raw values are the ABI's `BGT_VOCABULARY_...`.
package enum ABIVocabulary: UInt32, Hashable, Sendable, CaseIterable {
    case status = 1
    case reason
    case kind
    case lane
    case role
    case cause
    case event
    case outcome
    case expired
    case log
    case flag
    case protection
    case strategy
    case resource
    case vocabulary

    /// The name of a number as `bgtask.h` spells it; "plugin status" for a negative status, "unknown" for a number that
    /// this version does not know.
    package func name(of number: Int64) -> StaticString {
        if let name = names.first(where: { $0.number == number })?.name { return name }
        return self == .status && number < 0 ? "plugin status" : "unknown"
    }

    /// Every number of the vocabulary with its name.
    package var names: [(number: Int64, name: StaticString)] {
        switch self {
        case .status:
            [
                (0, "BGT_OK"), (1, "BGT_UNAVAILABLE"), (2, "BGT_TOO_MANY_PENDING"), (3, "BGT_NOT_PERMITTED"),
                (4, "BGT_IMMEDIATE_RUN_INELIGIBLE"), (100, "BGT_NOT_OFFERED"), (101, "BGT_INVALID"),
                (102, "BGT_WRONG_PHASE"), (103, "BGT_WRONG_ROLE"), (104, "BGT_DUPLICATE"), (105, "BGT_UNREGISTERED"),
                (106, "BGT_NO_SUCH_TASK"), (107, "BGT_ALREADY_COMPLETED"), (108, "BGT_TOO_NEW"),
                (109, "BGT_TRUNCATED"), (110, "BGT_NOT_FOUND"), (111, "BGT_ENDED"), (112, "BGT_WRONG_KIND"),
            ]
        case .reason:
            [
                (0, "BGT_REASON_NONE"), (1, "BGT_REASON_NOT_OFFERED"), (2, "BGT_REASON_BACKGROUND_REFRESH_OFF"),
                (3, "BGT_REASON_PLUGIN_DISABLED"), (4, "BGT_REASON_NOT_RECORDED"), (5, "BGT_REASON_HOST_STOPPING"),
                (6, "BGT_REASON_SUBMITTER_MAY_NOT_SCHEDULE"), (7, "BGT_REASON_PLUGIN_MISSING"),
                (10, "BGT_REASON_REFRESH_LIMIT"), (11, "BGT_REASON_PROCESSING_LIMIT"),
                (12, "BGT_REASON_CONTINUED_LIMIT"), (13, "BGT_REASON_EVENT_LIMIT"), (14, "BGT_REASON_TRANSFER_LIMIT"),
                (15, "BGT_REASON_ALERT_LIMIT"),
                (20, "BGT_REASON_IDENTIFIER_NOT_PERMITTED"), (21, "BGT_REASON_MODE_FETCH_MISSING"),
                (22, "BGT_REASON_MODE_PROCESSING_MISSING"), (23, "BGT_REASON_NOT_IN_FOREGROUND"),
                (24, "BGT_REASON_RESOURCES_UNSUPPORTED"), (25, "BGT_REASON_ENTITLEMENT_MISSING"),
                (26, "BGT_REASON_BACKGROUND_DENIED"), (27, "BGT_REASON_NOT_ITS_MAIN_PLUGIN"),
                (28, "BGT_REASON_NOT_AN_EXTENSION"), (29, "BGT_REASON_MODE_REMOTE_NOTIFICATION_MISSING"),
                (30, "BGT_REASON_NO_CAPACITY_NOW"), (31, "BGT_REASON_DEADLINE_PASSED"),
                (32, "BGT_REASON_NETWORK_NOT_GRANTED"), (33, "BGT_REASON_TRANSFER_LIBRARY_MISSING"),
            ]
        case .kind:
            [
                (1, "BGT_KIND_REFRESH"), (2, "BGT_KIND_PROCESSING"), (3, "BGT_KIND_HEALTH_RESEARCH"),
                (4, "BGT_KIND_CONTINUED"), (5, "BGT_KIND_EVENT"),
            ]
        case .lane:
            [
                (1, "BGT_LANE_BACKGROUND"), (2, "BGT_LANE_EVENT"), (3, "BGT_LANE_CONTINUED"),
            ]
        case .role:
            [
                (1, "BGT_ROLE_MAIN"), (2, "BGT_ROLE_EXTENSION"),
            ]
        case .cause:
            [
                (1, "BGT_CAUSE_DUE"), (2, "BGT_CAUSE_USER"), (3, "BGT_CAUSE_EVENT"), (4, "BGT_CAUSE_RELAUNCH"),
            ]
        case .event:
            [
                (1, "BGT_EVENT_STARTED"), (2, "BGT_EVENT_TRIGGER"), (3, "BGT_EVENT_FETCH"), (4, "BGT_EVENT_PUSH"),
                (5, "BGT_EVENT_TRANSFERS_FINISHED"),
                (6, "BGT_EVENT_NOTIFICATION"),
            ]
        case .outcome:
            [
                (1, "BGT_OUTCOME_SUCCESS"), (2, "BGT_OUTCOME_FAILURE"), (3, "BGT_OUTCOME_NO_DATA"),
            ]
        case .expired:
            [
                (1, "BGT_EXPIRED_BUDGET"), (2, "BGT_EXPIRED_EXTERNAL_POWER_LOST"), (3, "BGT_EXPIRED_NETWORK_LOST"),
                (4, "BGT_EXPIRED_NOT_IDLE"), (5, "BGT_EXPIRED_STOPPED_BY_USER"), (6, "BGT_EXPIRED_NO_PROGRESS"),
                (7, "BGT_EXPIRED_MEMORY_PRESSURE"), (8, "BGT_EXPIRED_HOST_SHUTDOWN"),
                (9, "BGT_EXPIRED_CONTAINER_LOCKED"), (10, "BGT_EXPIRED_LEASE_LOST"),
            ]
        case .log:
            [
                (1, "BGT_LOG_DEBUG"), (2, "BGT_LOG_INFO"), (3, "BGT_LOG_WARNING"), (4, "BGT_LOG_ERROR"),
            ]
        case .flag:
            [
                (1, "BGT_NEEDS_NETWORK"), (2, "BGT_NEEDS_EXTERNAL_POWER"),
            ]
        case .protection:
            [
                (0x000, "BGT_PROTECTION_UNTIL_FIRST_AUTHENTICATION"), (0x100, "BGT_PROTECTION_NONE"),
                (0x200, "BGT_PROTECTION_UNLESS_OPEN"), (0x300, "BGT_PROTECTION_COMPLETE"),
            ]
        case .strategy:
            [
                (1, "BGT_STRATEGY_QUEUE"), (2, "BGT_STRATEGY_FAIL"),
            ]
        case .resource:
            [(1, "BGT_RESOURCE_GPU")]
        case .vocabulary:
            [
                (1, "BGT_VOCABULARY_STATUS"), (2, "BGT_VOCABULARY_REASON"), (3, "BGT_VOCABULARY_KIND"),
                (4, "BGT_VOCABULARY_LANE"), (5, "BGT_VOCABULARY_ROLE"), (6, "BGT_VOCABULARY_CAUSE"),
                (7, "BGT_VOCABULARY_EVENT"), (8, "BGT_VOCABULARY_OUTCOME"), (9, "BGT_VOCABULARY_EXPIRED"),
                (10, "BGT_VOCABULARY_LOG"), (11, "BGT_VOCABULARY_FLAG"), (12, "BGT_VOCABULARY_PROTECTION"),
                (13, "BGT_VOCABULARY_STRATEGY"), (14, "BGT_VOCABULARY_RESOURCE"), (15, "BGT_VOCABULARY_VOCABULARY"),
            ]
        }
    }
}
