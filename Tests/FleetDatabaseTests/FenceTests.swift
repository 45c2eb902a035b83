// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetDatabase
import Testing

@Suite("An item of a fleet ends under one fence only")
struct FenceTests {
    @Test func `one of two hosts claims an item of their group`() async throws {
        try await PostgreSQLServer.with { server in
            let (a, b) = (try await HostCalls.begin("a", on: server), try await HostCalls.begin("b", on: server))
            _ = try await server.database(as: "sub").submit(.example("any:web"))
            async let first = a.claim()
            async let second = b.claim()
            let claims = try await first + second
            #expect(claims.map(\.fence) == [1])
        }
    }

    @Test func `the outcome of a host whose item was rescued is not accepted`() async throws {
        try await PostgreSQLServer.with { server in
            let (a, b) = (try await HostCalls.begin("a", on: server), try await HostCalls.begin("b", on: server))
            _ = try await server.database(as: "sub").submit(.example("any:web"))
            let old = try #require(try await a.claim().first)
            try await server.endLease(of: "a")
            #expect(try await server.sql("select bgtask_fleet.rescue(10)") == "1")
            let new = try #require(try await b.claim().first)
            #expect((new.item, new.fence) == (old.item, old.fence + 1))
            #expect(try await !a.complete(old))
            #expect(try await b.complete(new))
            #expect(try await server.sql("select host, fence from bgtask_fleet.outcome") == "b|2")
        }
    }

    @Test func `a bound item stays at its host after the end of the lease`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            _ = try await server.database(as: "sub").submit(.example("host:a"))
            let claim = try #require(try await a.claim().first)
            try await server.endLease(of: "a")
            #expect(try await server.sql("select bgtask_fleet.rescue(10)") == "0")
            #expect(try await a.complete(claim))
        }
    }

    @Test func `a host within the grace period keeps its item`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            _ = try await server.database(as: "sub").submit(.example("any:web"))
            let claim = try #require(try await a.claim().first)
            try await server.sql("update bgtask_fleet.host set lease_until = now() - interval '20 seconds'")
            #expect(try await server.sql("select bgtask_fleet.rescue(10)") == "0")
            #expect(try await a.complete(claim))
        }
    }

    @Test func `a renewal returns the interval of the lease that it wrote, also when its duties change the interval`()
        async throws
    {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            // The duty counts two hosts, for which the interval is an hour.
            try await server.sql(
                "update bgtask_fleet.setting set renewals_per_second = 1, minimum_interval = '1 hour', hosts = 7200; "
                    + "update bgtask_fleet.duty set due_at = now() - interval '1 hour' where name = 'count'"
            )
            let interval = try await a.renew(plugins: nil, waiting: []).intervalSeconds
            let lease = try await server.sql(
                "select extract(epoch from lease_until - seen_at)::integer from bgtask_fleet.host where name = 'a'"
            )
            #expect(interval == 7_200 && lease == "21600")
            #expect(try await a.renew(plugins: nil, waiting: []).intervalSeconds == 3_600)
        }
    }

    @Test func `a host holds one claim for each plugin and identifier`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            let submitter = server.database(as: "sub")
            for target in ["any:web", "any:all", "host:a"] { _ = try await submitter.submit(.example(target)) }
            for _ in 1...3 {
                let claims = try await a.claim()
                #expect(claims.count == 1)
                #expect(try await a.claim() == [])
                #expect(try await a.complete(try #require(claims.first)))
            }
            #expect(try await a.claim() == [])
        }
    }

    @Test func `a claim takes no more items of a plugin than the host has capacity for`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            let submitter = server.database(as: "sub")
            for number in 1...6 {
                let target = number % 2 == 0 ? "host:a" : "any:web"
                _ = try await submitter.submit(.example(target, "com.example.p.t\(number)"))
            }
            let room = [PluginRoom(plugin: "com.example.p", free: 4)]
            #expect(try await a.claim(room, bucket: 7, limit: 10).count == 4)
            #expect(try await a.claim(room, bucket: 7, limit: 1).count == 1)
            #expect(try await a.claim([PluginRoom(plugin: "com.example.q", free: 4)], bucket: 7, limit: 9) == [])
        }
    }

    @Test func `a host holds at most a thousand claims`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            try await server.sql(
                "insert into bgtask_fleet.item (plugin, identifier, kind, scope, not_before) "
                    + "select 'com.example.p', 't' || number, 'processing', 'web', now() "
                    + "from generate_series(1, 1010) number"
            )
            let room = [PluginRoom(plugin: "com.example.p", free: 10_000)]
            #expect(try await a.claim(room, bucket: 0, limit: 995).count == 995)
            #expect(try await a.claim(room, bucket: 0, limit: 995).count == 5)
            #expect(try await a.claim(room, bucket: 0, limit: 995) == [])
        }
    }

    @Test func `a claim that never reached its host returns to the queue and gets a new fence`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            _ = try await server.database(as: "sub").submit(.example("any:web"))
            let lost = try #require(try await a.claim().first)
            let successor = try await HostCalls.begin("a", on: server)
            let held = try await successor.renew(plugins: nil, waiting: []).held
            #expect(held.map(\.item) == [lost.item])
            let back = ItemReport.returned(item: lost.item, fence: lost.fence, reason: "never-submitted")
            #expect(try await successor.report([back]).map(\.accepted) == [true])
            let again = try #require(try await successor.claim().first)
            #expect(again.fence == lost.fence + 1)
            #expect(try await !successor.complete(lost))
            #expect(try await successor.complete(again))
        }
    }
}
