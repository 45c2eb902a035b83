// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import TaskModel
import Testing

@Suite("A real host passes a claim to the plugin, and cancels it by its fence")
struct FenceTests {
    private static let plugin = TestPlugin("ReportsFence", tasks: ["one", "two"])
    private static let fleet = "fleet: { plugins: [com.example.*] }"

    /// Submits a claimed request of a plugin's first task under a trusted lease.
    private func claim(fence: Int64, needsPower: Bool, _ host: HostFixture) throws {
        let trust = try host.rawCall("PUT", "/v1/leases/fleet", body: #"{"trusted_for": 3600}"#)
        #expect(trust.status == 200)
        let request = """
            {"identifier": "\(Self.plugin.task("one"))", "kind": "processing", "requires_external_power": \(needsPower),
             "claim": {"item": 71, "fence": \(fence), "bound": true}}
            """
        let body = #"{"lease": "fleet", "requests": [\#(request)]}"#
        let reply = try host.rawCall("POST", Route.taskSubmitBatch.path(), body: body).json()
        guard case .integer? = reply["results"].elements.first?["submission"] else {
            throw HostFailure("the claimed request was refused")
        }
    }

    private func cancel(fence: Int64, _ host: HostFixture) throws -> JSONValue {
        let query = TaskCancelQuery(claim: Claim.Key(item: 71, fence: fence))
        let path = Route.taskCancel.path(Self.plugin.task("one"), query: query.items)
        return try host.rawCall("DELETE", path).json()["cancelled"]
    }

    private func pending(_ host: HostFixture) async throws -> [String] {
        try await host.client.tasks().pending.map(\.identifier)
    }

    @Test func `the plugin of a claimed task reads its item and fence, and of a local task 0`() async throws {
        try await HostFixture.with(HostSetup(configuration: [Self.fleet]), plugins: [Self.plugin]) { host in
            try await host.started(Self.plugin)
            try claim(fence: 3, needsPower: false, host)
            _ = try await host.waitForLog("the claimed task") { $0.contains("one: item 71, fence 3") }
            _ = try await host.submit(Self.plugin.task("two"))
            _ = try await host.waitForLog("the local task") { $0.contains("two: item 0, fence 0") }
        }
    }

    @Test func `a cancellation with the fence of a claim leaves other claims and newer local requests`() async throws {
        let setup = HostSetup(["external-power": "false"], configuration: [Self.fleet])
        try await HostFixture.with(setup, plugins: [Self.plugin]) { host in
            try await host.started(Self.plugin)
            let task = Self.plugin.task("one")
            try claim(fence: 3, needsPower: true, host)
            #expect(try cancel(fence: 2, host) == .boolean(false))
            #expect(try await pending(host) == [task])
            #expect(try cancel(fence: 3, host) == .boolean(true))
            #expect(try await pending(host) == [])

            try claim(fence: 4, needsPower: true, host)
            _ = try await host.submit(task, requiresExternalPower: true)
            #expect(try cancel(fence: 4, host) == .boolean(false))
            #expect(try await pending(host) == [task])
        }
    }
}
