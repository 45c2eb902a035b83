// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FoundationEssentials

/// Work for the fleet.
package struct FleetSubmission: Hashable, Sendable {
    /// `host:NAME`, `any:GROUP` or `each:GROUP`.
    package var target: String
    package var plugin: String
    package var identifier: String
    package var kind: String
    package var request: [String: RequestMember] = [:]
    package var payload: [UInt8]?
    /// Seconds until the earliest begin, by the database's clock.
    package var delaySeconds = 0.0
    /// Seconds until the deadline, by the database's clock; nil without one.
    package var deadlineSeconds: Double?
    /// Lower numbers are claimed first.
    package var priority = 0
    package var campaign = CampaignTerms()

    package init(target: String, plugin: String, identifier: String, kind: String) {
        self.target = target
        self.plugin = plugin
        self.identifier = identifier
        self.kind = kind
    }
}

/// The terms of work for each host of a group.
package struct CampaignTerms: Encodable, Hashable, Sendable {
    /// Seconds over which the hosts begin.
    package var spreadSeconds = 0.0
    /// Whether hosts that are enrolled later join too.
    package var isContinuous = false
    /// Percentage of failures that stops the campaign; nil for no limit.
    package var abortPercent: Int?

    package init() {}

    private enum CodingKeys: String, CodingKey {
        case spreadSeconds = "spread_seconds"
        case isContinuous = "continuous"
        case abortPercent = "abort_percent"
    }
}

/// The number of submitted work.
package struct SubmissionReceipt: Decodable, Hashable, Sendable {
    /// Nil for a campaign.
    package let item: Int64?
    /// Nil for an item.
    package let campaign: Int64?
    /// Number of the pending item or campaign that the new one replaced.
    package let replaced: Int64?
}

/// The result of a cancellation.
package struct CancellationReceipt: Decodable, Hashable, Sendable {
    /// Number of pending items that have ended.
    package let cancelled: Int
    /// Number of claimed items that end at their hosts unless they have started.
    package let requested: Int
    /// The campaigns that no further host joins.
    package let campaigns: [Int64]
}

extension FleetDatabase {
    package func submit(_ work: FleetSubmission) async throws(DatabaseFailure) -> SubmissionReceipt {
        try await call(
            "submit",
            [
                work.target, work.plugin, work.identifier, work.kind, Self.json(work.request), Self.bytes(work.payload),
                nil, String(work.delaySeconds), nil, work.deadlineSeconds.map { String($0) }, String(work.priority),
                Self.json(work.campaign),
            ]
        )
    }

    package func cancel(
        target: String,
        plugin: String,
        identifier: String
    ) async throws(DatabaseFailure) -> CancellationReceipt {
        try await call("cancel", [target, plugin, identifier])
    }

    /// Adds or replaces the schedule `name`, whose ticks are at multiples of its period.
    package func schedule(_ work: FleetSubmission, name: String, everySeconds: Double) async throws(DatabaseFailure) {
        _ = try await text(
            "put_schedule",
            [
                name, work.target, work.plugin, work.identifier, work.kind, Self.json(work.request),
                Self.bytes(work.payload), String(everySeconds), String(work.campaign.spreadSeconds),
            ]
        )
    }

    /// Removes a schedule; false when there is none with this name.
    package func removeSchedule(_ name: String) async throws(DatabaseFailure) -> Bool {
        try await text("remove_schedule", [name]) == "t"
    }

    /// Starts or ends the drain of a host; false when no host has this name.
    package func drain(_ host: String, _ isDrained: Bool) async throws(DatabaseFailure) -> Bool {
        try await text("drain", [host, isDrained ? "true" : "false"]) == "t"
    }

    /// Enrolls a host, or changes its role and groups. Needs the administrator.
    package func enroll(_ host: String, role: String, groups: [String]) async throws(DatabaseFailure) {
        _ = try await text("enroll", [host, role, HostCalls.array(groups)])
    }

    static func json(_ value: some Encodable) throws(DatabaseFailure) -> String {
        do {
            return String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        } catch {
            throw DatabaseFailure(.misunderstood, "an argument cannot be encoded: \(error)")
        }
    }

    /// Bytes as text of the type `bytea`.
    private static func bytes(_ bytes: [UInt8]?) -> String? {
        guard let bytes else { return nil }
        return "\\x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
