// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import FleetDatabase
import HostTestKit
import Testing

// Serialized, because each test takes two of the slots for hosts.
@Suite("Feeders carry work of a fleet to real hosts, each item once", .serialized, .timeLimit(.minutes(30)))
struct FeederTests {
    private static let neighbour = TestPlugin("Neighbour")
    private static let lingering = TestPlugin("Neighbour").lingering
    private static let recorder = TestPlugin("Recorder", tasks: (1...10).map { "processing\($0)" })

    @Test func `each of ten items for any host of a group runs once, on one of two hosts`() async throws {
        try await TwoHosts.with(Self.recorder) { fleet in
            for task in Self.recorder.tasks { try await fleet.submit("any:web", Self.recorder, task: task) }
            let count = "select count(*), count(distinct item_id) from bgtask_fleet.outcome where outcome = 'succeeded'"
            try await fleet.server.wait(for: "10|10", of: count)
            #expect(try await fleet.server.sql("select count(*) from bgtask_fleet.item") == "0")
            #expect(fleet.a.runs(of: Self.recorder) + fleet.b.runs(of: Self.recorder) == 10)
        }
    }

    @Test func `an item for a host runs on this host, and a campaign once on each host of its group`() async throws {
        try await TwoHosts.with(Self.recorder) { fleet in
            try await fleet.submit("host:b", Self.recorder, task: "processing1")
            try await fleet.outcomes(are: "b|1|succeeded")
            #expect(fleet.a.runs(of: Self.recorder) == 0)
            try await fleet.submit("each:web", Self.recorder, task: "processing2")
            try await fleet.outcomes(are: "a|1|succeeded", "b|1|succeeded", "b|1|succeeded")
            #expect(fleet.a.runs(of: Self.recorder) == 1 && fleet.b.runs(of: Self.recorder) == 2)
        }
    }

    @Test func `the outcome of a task that ended without a feeder is reported by the next feeder`() async throws {
        try await TwoHosts.with(Self.lingering) { fleet in
            try await fleet.submit("host:a", Self.lingering)
            _ = try await fleet.a.host.running(Self.lingering.task()) { _ in true }
            try await fleet.a.endFeeder()
            try fleet.a.letGo(Self.lingering)
            try await fleet.a.hasSucceeded(Self.lingering.task())
            #expect(try await fleet.server.sql("select count(*) from bgtask_fleet.outcome") == "0")
            try await fleet.a.startFeeder()
            try await fleet.outcomes(are: "a|1|succeeded")
        }
    }

    @Test func `after the loss of a host its item runs on another one, and not again on its own after its return`()
        async throws
    {
        try await TwoHosts.with(Self.lingering) { fleet in
            try await fleet.b.endFeeder()
            try await fleet.submit("any:web", Self.lingering)
            // The end of the test counts the runs that the plugin has noted.
            try await fleet.a.hasBegun(Self.lingering)
            try await fleet.a.endFeeder()
            fleet.a.host.kill9()
            try await fleet.b.startFeeder()
            _ = try await fleet.b.host.running(Self.lingering.task()) { _ in true }
            try fleet.b.letGo(Self.lingering)
            try await fleet.outcomes(are: "b|2|succeeded")
            try await fleet.a.host.restart()
            try await fleet.a.startFeeder()
            try await fleet.a.isAtRest()
            #expect(fleet.a.runs(of: Self.lingering) == 1)
            #expect(try await fleet.server.sql("select count(*) from bgtask_fleet.outcome") == "1")
        }
    }

    @Test func `bound work goes on after its host was killed, under the same fence`() async throws {
        try await TwoHosts.with(Self.lingering) { fleet in
            try await fleet.submit("host:a", Self.lingering)
            _ = try await fleet.a.host.running(Self.lingering.task()) { _ in true }
            fleet.a.host.kill9()
            try await fleet.a.host.restart()
            try fleet.a.letGo(Self.lingering)
            try await fleet.outcomes(are: "a|1|succeeded")
            #expect(fleet.b.runs(of: Self.lingering) == 0)
        }
    }

    @Test func `an outcome waits in the journal of its host while the database is gone`() async throws {
        try await TwoHosts.with(Self.lingering) { fleet in
            try await fleet.submit("host:a", Self.lingering)
            _ = try await fleet.a.host.running(Self.lingering.task()) { _ in true }
            try await fleet.server.kill()
            try fleet.a.letGo(Self.lingering)
            try await fleet.a.hasSucceeded(Self.lingering.task())
            try await fleet.server.start()
            try await fleet.outcomes(are: "a|1|succeeded")
        }
    }

    @Test func `a cancellation in the queue cancels the claimed request at its host`() async throws {
        try await TwoHosts.with(Self.neighbour, flags: ["external-power": "false"]) { fleet in
            let task = Self.neighbour.task()
            try await fleet.submit("host:a", Self.neighbour, needsPower: true)
            try await fleet.a.waits(for: task)
            let receipt = try await fleet.server.database(as: "sub")
                .cancel(target: "host:a", plugin: Self.neighbour.identifier, identifier: task)
            #expect((receipt.cancelled, receipt.requested) == (0, 1))
            try await fleet.outcomes(are: "a|1|cancelled")
            try await fleet.a.isAtRest()
            #expect(fleet.a.runs(of: Self.neighbour) == 0)
        }
    }

    @Test func `a local request that replaces a claimed one ends its item as replaced`() async throws {
        try await TwoHosts.with(Self.neighbour, flags: ["external-power": "false"]) { fleet in
            let task = Self.neighbour.task()
            try await fleet.submit("host:a", Self.neighbour, needsPower: true)
            try await fleet.a.waits(for: task)
            try await fleet.a.host.submit(task)
            try await fleet.outcomes(are: "a|1|replaced")
            try await fleet.a.isAtRest()
            #expect(fleet.a.runs(of: Self.neighbour) == 1)
        }
    }

    @Test func `a drained host claims nothing, and the other one runs the work`() async throws {
        try await TwoHosts.with(Self.neighbour) { fleet in
            #expect(try await fleet.server.database(as: "sub").drain("a", true))
            try await fleet.submit("any:web", Self.neighbour)
            try await fleet.outcomes(are: "b|1|succeeded")
        }
    }
}
