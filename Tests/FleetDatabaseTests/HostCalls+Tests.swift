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

    /// Claims at most ten items.
    func claim() async throws(DatabaseFailure) -> [ClaimedItem] {
        try await claim([PluginRoom(plugin: "com.example.p", free: 10)], bucket: 0, limit: 10)
    }

    /// Reports an item as completed. True when the database accepted that.
    func complete(_ item: ClaimedItem) async throws(DatabaseFailure) -> Bool {
        let report = ItemReport.finished(item: item.item, fence: item.fence, outcome: "succeeded")
        return try await self.report([report]).first?.accepted == true
    }
}

extension FleetSubmission {
    /// Work of the plugin `com.example.p`.
    static func example(_ target: String, _ identifier: String = "com.example.p.clean") -> FleetSubmission {
        FleetSubmission(target: target, plugin: "com.example.p", identifier: identifier, kind: "processing")
    }
}
