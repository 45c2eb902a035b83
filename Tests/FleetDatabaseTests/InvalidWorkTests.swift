// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetDatabase
import Testing

@Suite("Invalid work is refused when it is submitted, and does not stop the fleet")
struct InvalidWorkTests {
    private func expectInvalid(_ name: String, _ body: () async throws(DatabaseFailure) -> Void) async {
        do throws(DatabaseFailure) {
            try await body()
            Issue.record("\(name) was accepted")
        } catch {
            #expect(error.isInvalid, "\(name): \(error)")
        }
    }

    /// Examples with one invalid value each, by its name.
    private func invalidWork() -> [(name: String, work: FleetSubmission)] {
        var large = FleetSubmission.example("each:web")
        large.payload = Array(repeating: 1, count: 65_537)
        var spread = FleetSubmission.example("each:web")
        spread.campaign.spreadSeconds = -1
        var kind = FleetSubmission.example("any:web")
        kind.kind = "Processing!"
        return [
            ("payload", large), ("spread", spread), ("kind", kind), ("identifier", .example("any:web", "")),
            ("target", .example("web")), ("host", .example("host:c")),
        ]
    }

    @Test func `an invalid schedule is refused with the rules of an invalid submission`() async throws {
        try await PostgreSQLServer.with { server in
            let submitter = server.database(as: "sub")
            for (name, work) in invalidWork() {
                await expectInvalid(name) { () throws(DatabaseFailure) in _ = try await submitter.submit(work) }
                await expectInvalid(name) { () throws(DatabaseFailure) in
                    try await submitter.schedule(work, name: "nightly", everySeconds: 60)
                }
            }
            #expect(try await server.sql("select count(*) from bgtask_fleet.schedule") == "0")
            var largest = FleetSubmission.example("each:web")
            largest.payload = Array(repeating: 1, count: 65_536)
            try await submitter.schedule(largest, name: "nightly", everySeconds: 60)
        }
    }

    @Test func `a request with a member that is neither boolean nor string is refused`() async throws {
        try await PostgreSQLServer.with { server in
            let call = { (request: String) in
                "select bgtask_fleet.submit('any:web', 'com.example.p', 'com.example.p.clean', 'processing', "
                    + "'\(request)', null, null, 0, null, null, 0, null)"
            }
            for request in [#"{"n": 3}"#, #"{"n": null}"#, #"{"n": {}}"#, "[]", "true"] {
                await #expect(throws: (any Error).self) { try await server.sql(call(request)) }
            }
            try await server.sql(call(#"{"requires_network": true, "not_before": "2030-01-01T00:00:00Z"}"#))
            #expect(try await server.sql("select count(*) from bgtask_fleet.item") == "1")
        }
    }

    @Test func `a duty that fails is due again after its period, and the renewal succeeds`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            try await server.sql(
                """
                create or replace function bgtask_fleet.rescue(p_limit integer) returns integer language plpgsql
                as $$ begin raise exception 'a failure of the duty'; end $$;
                update bgtask_fleet.duty set due_at = now() - interval '1 hour' where name = 'rescue'
                """
            )
            _ = try await a.renew(plugins: nil, waiting: [])
            #expect(try await server.sql("select due_at > now() from bgtask_fleet.duty where name = 'rescue'") == "t")
        }
    }

    @Test func `a tick that fails does not stop the ticks of other schedules, and its schedule goes on`() async throws {
        try await PostgreSQLServer.with { server in
            let submitter = server.database(as: "sub")
            for name in ["one", "two"] {
                try await submitter.schedule(.example("any:web", name), name: name, everySeconds: 86_400)
            }
            try await server.sql(
                "update bgtask_fleet.schedule set next_at = now(), identifier = replace(identifier, 'one', '!')"
            )
            #expect(try await server.sql("select bgtask_fleet.tick(10)") == "1")
            #expect(try await server.sql("select identifier from bgtask_fleet.item") == "two")
            #expect(try await server.sql("select count(*) from bgtask_fleet.schedule where next_at > now()") == "2")
        }
    }

    @Test func `a campaign whose item cannot be created stops neither other campaigns nor claims`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            let submitter = server.database(as: "sub")
            for name in ["com.example.p.one", "com.example.p.two"] {
                _ = try await submitter.submit(.example("each:web", name))
            }
            try await server.sql(
                """
                alter table bgtask_fleet.item add constraint broken check (identifier <> 'com.example.p.one')
                """
            )
            let offered = try await a.renew(plugins: nil, waiting: []).campaigns
            let starts = offered.map { CampaignStart(campaign: $0.campaign, slotSeconds: 0) }
            #expect(try await a.join(starts) == 1)
            #expect(try await a.claim().map(\.identifier) == ["com.example.p.two"])
            #expect(try await a.renew(plugins: nil, waiting: []).campaigns == [])
            let outcomes = "select outcome from bgtask_fleet.campaign_result where outcome is not null"
            #expect(try await server.sql(outcomes) == "invalid")
        }
    }
}
