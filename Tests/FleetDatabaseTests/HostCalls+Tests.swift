// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetDatabase

extension HostCalls {
    /// Begins a feeder of the host `name` whose plugin `com.example.p` is ready.
    static func begin(_ name: String, on server: PostgreSQLServer) async throws -> HostCalls {
        let (calls, _) = try await begin(name, in: server.database(as: "host_\(name)"))
        let plugin = ReportedPlugin(plugin: "com.example.p", version: "1", digest: "", ready: true, reason: nil)
        _ = try await calls.renew(plugins: [plugin], waiting: [])
        return calls
    }

    func claimAny() async throws(DatabaseFailure) -> [ClaimedItem] {
        try await claimAny(plugins: ["com.example.p"], bucket: 0, buckets: 16, limit: 10)
    }

    func claimBound() async throws(DatabaseFailure) -> [ClaimedItem] {
        try await claimBound(plugins: ["com.example.p"], limit: 10)
    }

    /// Reports an item as completed. True when the database accepted that.
    func complete(_ item: ClaimedItem) async throws(DatabaseFailure) -> Bool {
        let outcome = ItemOutcome(item: item.item, fence: item.fence, outcome: "completed")
        return try await finish([outcome]).first?.accepted == true
    }
}

extension FleetSubmission {
    /// Work of the plugin `com.example.p`.
    static func example(_ target: String, _ identifier: String = "com.example.p.clean") -> FleetSubmission {
        FleetSubmission(target: target, plugin: "com.example.p", identifier: identifier, kind: "processing")
    }
}
