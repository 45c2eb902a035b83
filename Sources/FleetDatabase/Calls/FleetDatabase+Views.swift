// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The state of the fleet.
package struct FleetStatus: Codable, Hashable, Sendable {
    package let migration: Int
    package let hosts: Int
    /// Hosts whose lease has not ended.
    package let alive: Int
    package let drained: Int
    package let pending: Int
    /// Pending items whose earliest begin has passed.
    package let due: Int
    package let claimed: Int
    package let campaigns: Int
    package let schedules: Int
    /// Seconds since the earliest begin of the oldest due item; nil without one.
    package let oldestDueSeconds: Double?
    package let leaseSeconds: Double
    package let outcomesLastHour: [String: Int]

    private enum CodingKeys: String, CodingKey {
        case migration, hosts, alive, drained, pending, due, claimed, campaigns, schedules
        case oldestDueSeconds = "oldest_due_seconds"
        case leaseSeconds = "lease_seconds"
        case outcomesLastHour = "outcomes_last_hour"
    }
}

/// A host as the fleet has it.
package struct FleetHost: Codable, Hashable, Sendable {
    package let name: String
    package let role: String
    package let groups: [String]
    package let alive: Bool
    package let drained: Bool
    /// Seconds since the last renewal; nil before the first one.
    package let seenSeconds: Double?
    package let claims: Int
    package let plugins: Int

    private enum CodingKeys: String, CodingKey {
        case name, role, groups, alive, drained, claims, plugins
        case seenSeconds = "seen_seconds"
    }
}

extension FleetDatabase {
    package func status() async throws(DatabaseFailure) -> FleetStatus { try await call("status", []) }

    package func hosts() async throws(DatabaseFailure) -> [FleetHost] { try await call("list_hosts", []) }

    package func why(plugin: String, identifier: String) async throws(DatabaseFailure) -> FleetFacts {
        try await call("why", [plugin, identifier])
    }
}
