// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetDatabase
import Testing

@Suite("A stopped campaign ends its pending items and those that wait at their hosts")
struct CampaignStopTests {
    private typealias Hosts = (a: HostCalls, b: HostCalls, c: HostCalls)

    /// Submits a campaign, which the hosts a, b and c of the group `web` join.
    private func campaign(on server: PostgreSQLServer, abortPercent: Int? = nil) async throws -> Hosts {
        try await server.sql("create role host_c login; grant bgtask_fleet_host to host_c")
        try await server.database(as: "admin").enroll("c", role: "host_c", groups: ["web"])
        var work = FleetSubmission.example("each:web")
        work.campaign.abortPercent = abortPercent
        _ = try await server.database(as: "sub").submit(work)
        try await server.sql("update bgtask_fleet.campaign set abort_after = 1")
        return (try await joined("a", server), try await joined("b", server), try await joined("c", server))
    }

    private func joined(_ name: String, _ server: PostgreSQLServer) async throws -> HostCalls {
        let host = try await HostCalls.begin(name, on: server)
        let offered = try await host.renew(plugins: nil, waiting: []).campaigns
        #expect(try await host.join(offered.map { CampaignStart(campaign: $0.campaign, slotSeconds: 0) }) == 1)
        return host
    }

    private func cancel(on server: PostgreSQLServer) async throws -> CancellationReceipt {
        try await server.database(as: "sub")
            .cancel(target: "each:web", plugin: "com.example.p", identifier: "com.example.p.clean")
    }

    @Test(arguments: ["failed", "overran", "expired", "no-progress", "not-registered", "abandoned"])
    func `a campaign beyond its share of failures ends its other items`(outcome: String) async throws {
        try await PostgreSQLServer.with { server in
            let hosts = try await campaign(on: server, abortPercent: 50)
            let (ended, waiting) = (try #require(try await hosts.a.claim().first), try await hosts.b.claim())
            _ = try await hosts.a.report([.finished(item: ended.item, fence: ended.fence, outcome: outcome)])
            #expect(try await server.sql("select bgtask_fleet.stop_campaigns(10)") == "2")
            #expect(try await server.sql("select stop_reason from bgtask_fleet.campaign") == "failures")
            #expect(try await hosts.c.claim() == [])
            #expect(try await hosts.b.renew(plugins: nil, waiting: []).ending?.map(\.item) == waiting.map(\.item))
        }
    }

    @Test func `the end of an item that did not run is no failure of its campaign`() async throws {
        try await PostgreSQLServer.with { server in
            let hosts = try await campaign(on: server, abortPercent: 1)
            let ended = try #require(try await hosts.a.claim().first)
            for outcome in ["succeeded", "no-data", "replaced", "cancelled", "lapsed", "not-installed"] {
                try await server.sql(
                    "update bgtask_fleet.campaign_result set outcome = '\(outcome)' where host_id = "
                        + "(select host_id from bgtask_fleet.item where item_id = \(ended.item))"
                )
                #expect(try await server.sql("select count(*) from bgtask_fleet.failing_campaigns()") == "0")
            }
        }
    }

    @Test func `a newer campaign ends the items of the older one at once`() async throws {
        try await PostgreSQLServer.with { server in
            let hosts = try await campaign(on: server)
            let waiting = try await hosts.b.claim()
            _ = try await server.database(as: "sub").submit(.example("each:web"))
            #expect(try await hosts.c.claim() == [])
            #expect(try await hosts.b.renew(plugins: nil, waiting: []).ending?.map(\.item) == waiting.map(\.item))
            let outcomes = "select outcome, count(*) from bgtask_fleet.outcome group by outcome"
            #expect(try await server.sql(outcomes) == "replaced|2")
        }
    }

    @Test func `the stop of a large campaign is bounded, and the duty stops the rest`() async throws {
        try await PostgreSQLServer.with { server in
            _ = try await campaign(on: server)
            #expect(try await server.sql("select ended from bgtask_fleet.stop_campaign(1, 'replaced', 2)") == "2")
            #expect(try await server.sql("select bgtask_fleet.stop_campaigns(2)") == "1")
            #expect(try await server.sql("select count(*) from bgtask_fleet.item") == "0")
        }
    }

    @Test func `a stopped campaign that has items still is cancelled`() async throws {
        try await PostgreSQLServer.with { server in
            _ = try await campaign(on: server)
            try await server.sql("update bgtask_fleet.campaign set stopped_at = now(), stop_reason = 'failures'")
            let receipt = try await cancel(on: server)
            #expect((receipt.cancelled, receipt.requested) == (3, 0) && receipt.campaigns == [1])
            #expect(try await cancel(on: server).campaigns == [])
        }
    }
}
