// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetDatabase
import Foundation
import Testing

@Suite("The queue of a fleet replaces, cancels and repeats work, and starts campaigns")
struct QueueTests {
    @Test func `a newer submission replaces the pending item with the same plugin, identifier and target`()
        async throws
    {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            let submitter = server.database(as: "sub")
            let first = try await submitter.submit(.example("host:a"))
            var newer = FleetSubmission.example("host:a")
            newer.payload = [1, 2, 255]
            newer.request = ["requires_network": .bool(true)]
            let second = try await submitter.submit(newer)
            #expect(second.replaced == first.item)
            let claim = try #require(try await a.claim().first)
            #expect(claim.item == second.item)
            #expect(claim.payload == "AQL/")
            #expect(claim.request == ["requires_network": .bool(true)])
        }
    }

    @Test func `a renewal does not return claims that were cancelled or replaced`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            let submitter = server.database(as: "sub")
            for name in ["com.example.p.one", "com.example.p.two"] {
                _ = try await submitter.submit(.example("host:a", name))
            }
            let claims = try await a.claim()
            #expect(claims.count == 2)
            _ = try await submitter.submit(.example("host:a", "com.example.p.one"))
            let cancelled = try await submitter.cancel(
                target: "host:a",
                plugin: "com.example.p",
                identifier: "com.example.p.two"
            )
            #expect((cancelled.cancelled, cancelled.requested) == (0, 1))
            let renewal = try await a.renew(plugins: nil, waiting: [])
            #expect(renewal.held == [] && renewal.ending?.map(\.item) == claims.map(\.item).sorted())
            // A cancelled item that its host gives back does not run again.
            for claim in claims where claim.identifier == "com.example.p.two" {
                _ = try await a.report([.returned(item: claim.item, fence: claim.fence, reason: "cancelled")])
            }
            #expect(try await server.sql("select outcome from bgtask_fleet.outcome") == "cancelled")
        }
    }

    @Test func `a claimed item that a newer submission replaced ends as replaced when its host cancels it`()
        async throws
    {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            let submitter = server.database(as: "sub")
            _ = try await submitter.submit(.example("host:a"))
            let old = try #require(try await a.claim().first)
            _ = try await submitter.submit(.example("host:a"))
            _ = try await a.report([.finished(item: old.item, fence: old.fence, outcome: "cancelled")])
            let new = try #require(try await a.claim().first)
            _ = try await a.report([.finished(item: new.item, fence: new.fence, outcome: "cancelled")])
            let outcomes = "select outcome from bgtask_fleet.outcome order by outcome_id"
            #expect(try await server.sql(outcomes) == "replaced\ncancelled")
        }
    }

    @Test func `an item with a future begin or a past deadline is not claimed`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            let submitter = server.database(as: "sub")
            var later = FleetSubmission.example("any:all", "com.example.p.later")
            later.delaySeconds = 3_600
            _ = try await submitter.submit(later)
            var lapsing = FleetSubmission.example("any:all", "com.example.p.lapsing")
            lapsing.deadlineSeconds = 3_600
            _ = try await submitter.submit(lapsing)
            try await server.sql(
                "update bgtask_fleet.item set not_before = now() - interval '2 hours', deadline = now() - interval '1s' "
                    + "where deadline is not null"
            )
            #expect(try await a.claim() == [])
            #expect(try await server.sql("select bgtask_fleet.lapse(10)") == "1")
            #expect(try await server.sql("select outcome from bgtask_fleet.outcome") == "lapsed")
        }
    }

    @Test func `each host of a group joins a campaign once, within its spread`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            var work = FleetSubmission.example("each:web")
            work.campaign.spreadSeconds = 60
            let campaign = try await server.database(as: "sub").submit(work)
            #expect(try await server.sql("select count(*) from bgtask_fleet.item") == "0")
            let offered = try await a.renew(plugins: nil, waiting: []).campaigns
            #expect(offered.map(\.campaign) == [campaign.campaign])
            let slots = offered.map { CampaignStart(campaign: $0.campaign, slotSeconds: 500) }
            #expect(try await a.join(slots) == 1)
            #expect(try await a.join(slots) == 0)
            #expect(try await a.renew(plugins: nil, waiting: []).campaigns == [])
            // A slot beyond the spread is cut to the spread.
            #expect(try await server.sql("select not_before <= now() + interval '60s' from bgtask_fleet.item") == "t")
            try await server.sql("update bgtask_fleet.item set not_before = now()")
            let claim = try #require(try await a.claim().first)
            #expect(try await a.complete(claim))
            #expect(try await server.sql("select outcome from bgtask_fleet.campaign_result") == "succeeded")
        }
    }

    @Test func `a tick of a schedule is submitted once`() async throws {
        try await PostgreSQLServer.with { server in
            try await server.database(as: "sub").schedule(.example("any:web"), name: "nightly", everySeconds: 86_400)
            let due = "update bgtask_fleet.schedule set next_at = now()"
            try await server.sql(due)
            #expect(try await server.sql("select bgtask_fleet.tick(10)") == "1")
            try await server.sql(due)
            #expect(try await server.sql("select bgtask_fleet.tick(10)") == "0")
            #expect(try await server.sql("select count(*) from bgtask_fleet.item") == "1")
        }
    }

    @Test func `a drained host claims nothing, and why shows it`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            let submitter = server.database(as: "sub")
            _ = try await submitter.submit(.example("host:a"))
            #expect(try await submitter.drain("a", true))
            #expect(try await a.claim() == [])
            #expect(try await a.renew(plugins: nil, waiting: []).isDrained)
            let facts = try await submitter.why(plugin: "com.example.p", identifier: "com.example.p.clean")
            #expect(facts.items.map(\.hostDrained) == [true])
            #expect(try await submitter.drain("a", false))
            #expect(try await a.claim().count == 1)
        }
    }

    @Test func `the cursor of a returned item travels to the next host, and a replacement keeps it`() async throws {
        try await PostgreSQLServer.with { server in
            let (a, b) = (try await HostCalls.begin("a", on: server), try await HostCalls.begin("b", on: server))
            let submitter = server.database(as: "sub")
            _ = try await submitter.submit(.example("any:web"))
            let first = try #require(try await a.claim().first)
            #expect(first.cursor == nil)
            let back = { (item: ClaimedItem, cursor: String?) in
                ItemReport.returned(item: item.item, fence: item.fence, reason: "lease-lost", cursor: cursor)
            }
            _ = try await a.report([back(first, "AQL/")])
            let second = try #require(try await b.claim().first)
            #expect((second.item, second.cursor) == (first.item, "AQL/"))
            _ = try await b.report([back(second, nil)])
            _ = try await submitter.submit(.example("any:web"))
            #expect(try await a.claim().map(\.cursor) == ["AQL/"])
        }
    }

    @Test func `a cursor of more than 4 KiB is refused`() async throws {
        try await PostgreSQLServer.with { server in
            let a = try await HostCalls.begin("a", on: server)
            _ = try await server.database(as: "sub").submit(.example("any:web"))
            let claim = try #require(try await a.claim().first)
            for (size, isAccepted) in [(4_097, false), (4_096, true)] {
                let cursor = Data(count: size).base64EncodedString()
                let back = ItemReport.returned(item: claim.item, fence: claim.fence, reason: "x", cursor: cursor)
                do throws(DatabaseFailure) {
                    let verdicts = try await a.report([back])
                    #expect(verdicts.map(\.accepted) == [true] && isAccepted)
                } catch {
                    #expect(error.cause == .refused(state: "23514") && !isAccepted)
                }
            }
        }
    }

    @Test func `a feeder with chosen groups claims for these groups and for its host only`() async throws {
        try await PostgreSQLServer.with { server in
            try await server.database(as: "admin").enroll("a", role: "host_a", groups: ["web", "mail"])
            let a = try await HostCalls.begin("a", on: server)
            let submitter = server.database(as: "sub")
            for target in ["any:web", "any:mail"] {
                _ = try await submitter.submit(.example(target, "com.example.p.\(target.dropFirst(4))"))
            }
            try await a.choose(["mail"])
            #expect(try await a.claim().map(\.identifier) == ["com.example.p.mail"])
            do throws(DatabaseFailure) {
                try await a.choose(["mail", "db"])
                Issue.record("the host chose a group of others")
            } catch {
                #expect(error.isInvalid)
            }
            // A new incarnation begins with all groups.
            let next = try await HostCalls.begin("a", on: server)
            #expect(try await next.claim().map(\.identifier) == ["com.example.p.web"])
        }
    }
}
