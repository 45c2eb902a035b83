// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The calls of a host's feeder. Each names the host and the incarnation of the feeder.
package struct HostCalls: Sendable {
    /// The version of the calls between this program and the schema.
    package static let protocolVersion = 1

    private let database: FleetDatabase
    private let host: String
    private let incarnation: String

    /// Begins a new incarnation: the calls of every earlier feeder of the host are refused from now on.
    package static func begin(
        _ host: String,
        in database: FleetDatabase
    ) async throws(DatabaseFailure) -> (calls: HostCalls, start: FeederStart) {
        let start: FeederStart = try await database.call("begin_feeder", [host, String(protocolVersion)])
        let calls = HostCalls(database: database, host: host, incarnation: String(start.incarnation))
        return (calls, start)
    }

    /// Limits the claims of this incarnation to some of the host's groups. Work for this host and for all hosts stays
    /// open to it.
    package func choose(_ groups: [String]) async throws(DatabaseFailure) {
        _ = try await database.text("choose_groups", [host, incarnation, Self.array(groups)])
    }

    /// Renews the lease.
    ///
    /// - Parameters:
    ///   - plugins: the plugins of the host; nil when they have not changed since the last call.
    ///   - waiting: the reasons of waiting claims that have changed.
    package func renew(
        plugins: [ReportedPlugin]?,
        waiting: [WaitingClaim]
    ) async throws(DatabaseFailure) -> LeaseRenewal {
        let plugins: String? = if let plugins { try FleetDatabase.json(plugins) } else { nil }
        let waiting: String? = waiting.isEmpty ? nil : try FleetDatabase.json(waiting)
        return try await call("renew", plugins, waiting)
    }

    /// Makes items of campaigns for this host, and returns their number.
    package func join(_ slots: [CampaignStart]) async throws(DatabaseFailure) -> Int {
        try await call("join_campaigns", FleetDatabase.json(slots))
    }

    /// Claims due items: bound ones first, then those of the host's groups.
    ///
    /// - Parameters:
    ///   - rooms: the largest number of items of each plugin.
    ///   - bucket: the first bucket of unbound items, 0 to 15.
    package func claim(
        _ rooms: [PluginRoom],
        bucket: Int,
        limit: Int
    ) async throws(DatabaseFailure) -> [ClaimedItem] {
        try await call("claim", FleetDatabase.json(rooms), String(bucket), String(limit))
    }

    /// Ends claims. A report with an old fence is not accepted and changes nothing.
    package func report(_ reports: [ItemReport]) async throws(DatabaseFailure) -> [ClaimVerdict] {
        try await call("report", FleetDatabase.json(reports))
    }

    private func call<Reply: Decodable & Sendable>(
        _ function: String,
        _ arguments: String?...
    ) async throws(DatabaseFailure) -> Reply {
        try await database.call(function, [host, incarnation] + arguments)
    }

    /// An array of PostgreSQL as text.
    static func array(_ values: [String]) -> String {
        let quoted = values.map { value in
            "\"\(value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
        return "{\(quoted.joined(separator: ","))}"
    }
}
