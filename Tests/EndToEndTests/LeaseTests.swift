// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostTestKit
import TaskModel
import Testing

@Suite("A real host ends the unbound work of a lease that it no longer trusts")
struct LeaseTests {
    private static let patient = TestPlugin("Patient", tasks: ["one"])
    private static let plain = TestPlugin("Obedient", tasks: ["one", "two"])

    private static func request(_ task: String, item: Int64, bound: Bool, needsPower: Bool) -> String {
        """
        {"identifier": "\(task)", "kind": "processing", "requires_external_power": \(needsPower),
         "claim": {"item": \(item), "fence": 1, "bound": \(bound)}}
        """
    }

    private func setTrust(_ seconds: Int, _ host: HostFixture) throws {
        let answer = try host.rawCall("PUT", "/v1/leases/fleet", body: #"{"trusted_for": \#(seconds)}"#)
        #expect(answer.status == 200)
    }

    private func openClaims(_ host: HostFixture) throws -> [JSONValue] {
        try host.rawCall("GET", "/v1/leases/fleet").json()["claims"].elements
    }

    @Test func `running unbound work expires, pending unbound work ends, and bound work stays`() async throws {
        let setup = HostSetup(["external-power": "false"], configuration: ["fleet: { plugins: [com.example.*] }"])
        try await HostFixture.with(setup, plugins: [Self.patient, Self.plain]) { host in
            try await host.started(Self.plain)
            try setTrust(3_600, host)
            let requests = [
                Self.request(Self.patient.task(), item: 1, bound: false, needsPower: false),
                Self.request(Self.plain.task("one"), item: 2, bound: false, needsPower: true),
                Self.request(Self.plain.task("two"), item: 3, bound: true, needsPower: true),
            ]
            let body = #"{"lease": "fleet", "requests": [\#(requests.joined(separator: ", "))]}"#
            let results = try host.rawCall("POST", Route.taskSubmitBatch.path(), body: body).json()["results"].elements
            guard case .integer(let running)? = results.first?["submission"] else {
                throw HostFailure("the first item was refused")
            }
            try await host.waitForLog("it runs") { $0.contains("patient runs") }
            let open = try openClaims(host)
            #expect(open.map { $0["item"] } == [.integer(1), .integer(2), .integer(3)])
            #expect(open.map { $0["waiting"] } == [.null, "external-power", "external-power"])

            try setTrust(0, host)
            let lost = try await host.waitForJournal("the pending item") { $0.event == "lease-lost" }
            #expect(lost.claim?.item == 2)
            let end = try await host.waitForJournal("the running item") { line in
                line.submission == running && line.leaseLost == true
            }
            #expect(end.claim?.item == 1 && end.message.contains("lease lost"))
            #expect(try openClaims(host).map { $0["item"] } == [.integer(3)])
            let why = try await host.bgtask("why", Self.plain.task("two"))
            #expect(why.output.contains("item 3 of the fleet"))
            #expect(why.output.contains("this task is bound to this host and is not affected"))
        }
    }
}
