// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A runner enters its sandbox while its launch is being committed, and gets its plan afterwards")
struct ConfinementTests {
    let host = SchedulerDriver(.app())

    /// Submits a request whose launch is not on disk yet, although its runner is ready.
    private func commitLaunch() throws -> LaunchNumber {
        host.runners = .held
        host.submit(.clean)
        host.commits = .held
        let launch = try #require(host.heldRunners.first)
        host.bringRunners()
        return launch
    }

    private var confined: [LaunchNumber] {
        host.actions.compactMap { if case .confineRunner(let launch, _, _) = $0 { launch } else { nil } }
    }

    @Test func `a runner is sent its confinement before the start of its launch is on disk`() throws {
        let launch = try commitLaunch()
        #expect(confined == [launch] && host.plans.isEmpty)
        host.writeHeldCommits()
        #expect(confined == [launch] && host.plans.map(\.number) == [launch])
    }

    @Test(.proves("C3"))
    func `a failure of the host during the commit of a launch ends the launch without its plan and without a charge`()
        throws
    {
        let launch = try commitLaunch()
        host.send(.launchFailedByHost(launch, message: "no sandbox"))
        #expect(host.killed.isEmpty)
        host.writeHeldCommits()
        #expect(host.plans.isEmpty && host.killed == [launch])
        #expect(host.outcomes(of: .clean) == [.interrupted])
        #expect(host.lastEntry(of: .clean)?.blame == .host)
        #expect(host.lastLaunchEntry?.message.contains("no sandbox") == true)
        #expect(try #require(host.request(.clean)).retry == Retry(wasInterrupted: true))
    }

    @Test(.proves("C3"))
    func `the end of a runner during the commit of its launch is reported with the failure of the host before it`()
        throws
    {
        let launch = try commitLaunch()
        host.send(.launchFailedByHost(launch, message: "no sandbox"))
        host.send(.runnerEnded(launch, .exited(code: 5), nil))
        host.writeHeldCommits()
        #expect(host.plans.isEmpty && host.killed.isEmpty)
        #expect(host.lastLaunchEntry?.message.contains("no sandbox") == true)
        #expect(host.lastLaunchEntry?.blame == .host)
    }

    @Test func `the runner of a launch whose commit fails is dismissed and gets no plan`() throws {
        let launch = try commitLaunch()
        host.failNextCommit()
        #expect(host.plans.isEmpty)
        #expect(host.actions.contains(.dismissRunner(launch)))
    }
}
