// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("A plugin that begins transfers at each end of a session is launched less and less often", .proves(87, "C24"))
struct RelaunchTests {
    let host = SchedulerDriver.forTransfers()

    /// The newest launch with the event about a session.
    private var relaunch: LaunchPlan? { host.plans.last { $0.tasks.contains { $0.work.isSessionEvent } } }

    /// Runs the transfer that was begun last.
    private func finishTransfer() {
        host.enterLibrary()
        host.endTry(.finished)
        host.exit(host.transferPlan)
    }

    /// Delivers the event about the last session, and begins a new transfer in its launch.
    private func beginAnew() throws {
        let plan = try #require(relaunch)
        host.forgetThePast()
        host.enter(plan)
        #expect(host.download(from: plan)?.refusal == nil)
        host.completeEvent(in: plan)
        host.exit(plan)
    }

    /// Runs transfers, each begun in the launch about the end of the one before, until the event about the last one has
    /// the given number of relaunches before it.
    private func relaunch(_ count: Int) throws {
        if relaunch == nil {
            host.download()
            finishTransfer()
        }
        for _ in 0..<count {
            try beginAnew()
            finishTransfer()
        }
    }

    private var reasons: [String] {
        host.scheduler.waitingEvents(of: .app, at: host.clock.now).first?.reasons.map(\.code) ?? []
    }

    @Test func `the third event of a row waits ten seconds, and each further one twice as long`() throws {
        try relaunch(2)
        for delay in [10, 20, 40] {
            #expect(relaunch == nil && reasons == ["relaunch-spacing"])
            host.advance(by: .seconds(delay - 1))
            #expect(relaunch == nil)
            host.advance(by: .seconds(2))
            #expect(relaunch != nil)
            try relaunch(1)
        }
    }

    @Test func `the spacing of relaunches grows to an hour at most`() throws {
        try relaunch(2)
        for row in 0..<20 {
            host.advance(by: .seconds(min(10 << min(row, 9), 3_600)))
            try relaunch(1)
        }
        host.advance(by: .seconds(3_590))
        #expect(relaunch == nil)
        host.advance(by: .seconds(20))
        #expect(relaunch != nil)
    }

    @Test func `a transfer that takes longer than the spacing is reported at its end`() throws {
        try relaunch(1)
        try beginAnew()
        host.advance(by: .seconds(15))
        finishTransfer()
        #expect(relaunch != nil)
    }

    @Test func `the spacing of relaunches and its row outlive the host`() throws {
        try relaunch(2)
        host.restart()
        host.advance(by: .seconds(5))
        #expect(relaunch == nil)
        host.advance(by: .seconds(6))
        try relaunch(1)
        host.advance(by: .seconds(15))
        #expect(relaunch == nil)
        host.advance(by: .seconds(6))
        #expect(relaunch != nil)
    }

    @Test func `a waiting relaunch does not block later events of its plugin`() throws {
        try relaunch(2)
        let changed = PluginEntry.main(
            .app,
            library: "2.0",
            permitted: [.exact(.clean)],
            secrets: ["token"],
            grants: Grants(network: true)
        )
        host.install(changed)
        let plan = try #require(host.plans.last { $0.lane == .event })
        #expect(plan.tasks.map(\.work.label) == ["started"])
        host.enter(plan)
        host.completeEvent(in: plan)
        host.exit(plan)
        host.advance(by: .seconds(11))
        #expect(relaunch != nil)
    }

    @Test func `a use of the plugin by a user ends the spacing and the row of relaunches`() throws {
        try relaunch(2)
        host.advance(by: .seconds(1))
        #expect(host.submit(.clean, by: .user)?.refusal == nil)
        #expect(relaunch != nil)
        try relaunch(1)
        #expect(relaunch != nil)
    }

    @Test func `a row of relaunches ends after a day`() throws {
        try relaunch(1)
        host.change(network: false)
        try beginAnew()
        host.advance(by: .seconds(90_000))
        host.change(network: true)
        finishTransfer()
        try relaunch(1)
        #expect(relaunch != nil)
    }
}
