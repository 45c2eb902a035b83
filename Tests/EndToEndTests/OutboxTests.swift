// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A feeder claims what its host could start soon, and reads the outcomes in the journal")
struct OutboxTests {
    private static let patient = TestPlugin("Patient", tasks: ["one"])
    private static let setup = HostSetup(
        configuration: ["fleet:", "  plugins: [\(TestPlugin.neighbour.identifier)]"]
    )

    private func capacity(_ host: HostFixture) throws -> [JSONValue] {
        let answer = try host.rawCall("GET", Route.capacity.path())
        #expect(answer.status == 200)
        return try answer.json()["plugins"].elements
    }

    private func submit(_ item: Int64, to host: HostFixture) throws -> JSONValue {
        let request = """
            {"identifier": "\(TestPlugin.neighbour.task())", "kind": "processing", "only_if_soon": true,
             "claim": {"item": \(item), "fence": 3, "bound": false}}
            """
        let body = #"{"lease": "web-1", "requests": [\#(request)]}"#
        return try host.rawCall("POST", Route.taskSubmitBatch.path(), body: body).json()["results"].elements[0]
    }

    @Test func `the journal has the claim of an item from its acceptance to its outcome, and no other claim`()
        async throws
    {
        try await HostFixture.with(Self.setup, plugins: [.neighbour, Self.patient]) { host in
            let started = try await host.started(.neighbour)
            _ = try await host.end(ofLaunch: try #require(started.launch))
            let plugins = try capacity(host)
            #expect(plugins.map { $0["identifier"] } == [.string(TestPlugin.neighbour.identifier)])
            #expect(plugins.first?["ready"] == .boolean(true))
            #expect(try host.rawCall("PUT", "/v1/leases/web-1", body: #"{"trusted_for": 60}"#).status == 200)
            guard case .integer(let number) = try submit(71, to: host)["submission"] else {
                throw HostFailure("the item was refused")
            }
            _ = try await host.outcome(of: number)
            _ = try await host.outcome(of: try await host.submit(TestPlugin.neighbour.task()))
            let query = [(name: "claims", value: "true"), (name: "after", value: "0")]
            let journal = try host.rawCall("GET", Route.journal.path(query: query)).body
            let lines = try JSONDecoder().decode(JournalReply.self, from: journal).entries
            #expect(lines.map(\.event) == ["submitted", "succeeded"] && lines.allSatisfy { $0.submission == number })
            #expect(lines.allSatisfy { $0.claim == ClaimBody(Claim(item: 71, fence: 3, isBound: false)) })
        }
    }

    @Test func `a paused plugin has no capacity, and an item that has to start soon is refused with this reason`()
        async throws
    {
        try await HostFixture.with(Self.setup) { host in
            try await host.started(.neighbour)
            #expect(try host.rawCall("PUT", "/v1/leases/web-1", body: #"{"trusted_for": 60}"#).status == 200)
            let pause = Route.pluginPause.path(TestPlugin.neighbour.identifier)
            #expect(try host.rawCall("POST", pause, body: "{}").status == 200)
            let plugin = try #require(try capacity(host).first)
            #expect(plugin["ready"] == .boolean(false) && plugin["reason"] == "plugin-paused")
            #expect(plugin["free"] == .integer(0))
            let error = try submit(71, to: host)["error"]
            #expect(error["sub_reason"] == "no-capacity-now")
            #expect(error["message"].text?.contains("is paused") == true)
        }
    }
}
