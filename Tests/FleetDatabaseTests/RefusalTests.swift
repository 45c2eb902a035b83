// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetDatabase
import Testing

@Suite("A host does not claim an item again that it refused")
struct RefusalTests {
    private func refuse(_ item: ClaimedItem, at host: HostCalls, _ reason: String) async throws {
        let report = ItemReport.returned(item: item.item, fence: item.fence, reason: reason, delaySeconds: 3_600)
        #expect(try await host.report([report]).map(\.accepted) == [true])
    }

    @Test func `each host of a group refuses an unbound item once in five minutes`() async throws {
        try await PostgreSQLServer.with { server in
            let (a, b) = (try await HostCalls.begin("a", on: server), try await HostCalls.begin("b", on: server))
            _ = try await server.database(as: "sub").submit(.example("any:web"))
            try await refuse(try #require(try await a.claim().first), at: a, "identifier-not-permitted")
            #expect(try await a.claim() == [])
            try await refuse(try #require(try await b.claim().first), at: b, "identifier-not-permitted")
            #expect(try await a.claim() == [])
            #expect(try await b.claim() == [])
            try await server.sql("update bgtask_fleet.item set refused_at = now() - interval '5 minutes'")
            try await refuse(try #require(try await a.claim().first), at: a, "identifier-not-permitted")
            // The refusals of an earlier round do not count.
            #expect(try await b.claim().count == 1)
        }
    }

    @Test(arguments: ["no-capacity-now", "never-submitted", "lease-lost", "claim-exists"])
    func `an unbound item that returns for a passing reason is available to its host at once`(reason: String)
        async throws
    {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            _ = try await server.database(as: "sub").submit(.example("any:web"))
            try await refuse(try #require(try await a.claim().first), at: a, reason)
            #expect(try await a.claim().count == 1)
        }
    }

    @Test func `an invalid unbound item waits for the delay of its return`() async throws {
        try await PostgreSQLServer.with { server in
            let (a, b) = (try await HostCalls.begin("a", on: server), try await HostCalls.begin("b", on: server))
            _ = try await server.database(as: "sub").submit(.example("any:web"))
            try await refuse(try #require(try await a.claim().first), at: a, "request-invalid: kind")
            #expect(try await b.claim() == [])
            let delayed = "select not_before > now() + interval '50 minutes' from bgtask_fleet.item"
            #expect(try await server.sql(delayed) == "t")
        }
    }

    @Test func `the refusal of a bound item delays it, and its host claims it after the delay`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            _ = try await server.database(as: "sub").submit(.example("host:a"))
            try await refuse(try #require(try await a.claim().first), at: a, "identifier-not-permitted")
            #expect(try await a.claim() == [])
            try await server.sql("update bgtask_fleet.item set not_before = now()")
            #expect(try await a.claim().count == 1)
        }
    }

    @Test func `an item that twenty hosts have refused waits for all hosts`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            _ = try await server.database(as: "sub").submit(.example("any:web"))
            try await server.sql(
                "update bgtask_fleet.item set refused_at = now(), refused_by = array(select generate_series(101, 119))"
            )
            try await refuse(try #require(try await a.claim().first), at: a, "identifier-not-permitted")
            let waits = "select not_before > now() + interval '4 minutes' from bgtask_fleet.item"
            #expect(try await server.sql(waits) == "t")
        }
    }
}
