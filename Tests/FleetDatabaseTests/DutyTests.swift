// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetDatabase
import Testing

@Suite("The renewals of hosts perform the duties of the fleet in time")
struct DutyTests {
    private static let allDue = "update bgtask_fleet.duty set due_at = now() - interval '1 hour'"
    private static let due = "select count(*) from bgtask_fleet.duty where due_at <= now()"

    @Test func `a duty that reached its limit is due again at once`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            try await server.sql(
                """
                insert into bgtask_fleet.outcome (item_id, fence, plugin, identifier, target, outcome, ended_at)
                select 1, 1, 'com.example.p', 'com.example.p.clean', 'any:web', 'succeeded', now() - interval '60 days'
                from generate_series(1, 1500)
                """
            )
            try await server.sql(Self.allDue)
            for (left, prune) in [("500", "t"), ("0", "f")] {
                _ = try await a.renew(plugins: nil, waiting: [])
                #expect(try await server.sql("select count(*) from bgtask_fleet.outcome") == left)
                let isDue = "select due_at <= now() from bgtask_fleet.duty where name = 'prune'"
                #expect(try await server.sql(isDue) == prune)
            }
        }
    }

    @Test func `a renewal performs all due duties in a small fleet, and one of them in a large fleet`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            // The shortest period of a duty is 1 s: no duty becomes due again within the test.
            try await server.sql("update bgtask_fleet.duty set every = '1 day'; \(Self.allDue)")
            _ = try await a.renew(plugins: nil, waiting: [])
            #expect(try await server.sql(Self.due) == "0")
            try await server.sql("update bgtask_fleet.setting set hosts = 300; \(Self.allDue)")
            _ = try await a.renew(plugins: nil, waiting: [])
            #expect(try await server.sql(Self.due) == "5")
        }
    }
}
