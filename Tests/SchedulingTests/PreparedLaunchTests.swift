// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel
import Testing

@Suite("A launch is prepared during the commit of the request that causes it")
struct PreparedLaunchTests {
    let host = SchedulerDriver(.app())

    /// The launches for which a runner was requested, in order.
    private var requested: [LaunchNumber] {
        host.actions.compactMap { if case .takeRunner(let launch, _) = $0 { launch } else { nil } }
    }

    private var confined: [LaunchNumber] {
        host.actions.compactMap { if case .confineRunner(let launch, _, _) = $0 { launch } else { nil } }
    }

    @Test
    func `a runner enters its sandbox during the commit of a request, and gets its plan after two commits`() throws {
        host.commits = .held
        #expect(host.submit(.clean) == nil)
        #expect(confined.count == 1 && host.heldCommits.count == 1)
        host.writeNextCommit()
        #expect(host.lastAnswer?.submission != nil)
        #expect(host.plans.isEmpty && host.heldCommits.count == 1)
        host.writeNextCommit()
        #expect(host.plans.map(\.number) == confined && host.batches == [[.clean]])
    }

    @Test func `a runner that is ready only after the commit of its request forms the batch at once`() {
        host.runners = .held
        host.submit(.clean)
        #expect(host.heldRunners.count == 1 && host.plans.isEmpty)
        host.bringRunners()
        #expect(host.batches == [[.clean]] && requested.count == 1)
    }

    @Test func `the runner of a submission whose commit fails is dismissed, and no delay follows`() {
        host.commits = .held
        host.submit(.clean)
        host.failNextCommit()
        #expect(host.lastAnswer?.refusal?.subReason == .notRecorded)
        #expect(host.dismissed == requested && host.plans.isEmpty)
        host.commits = .written
        host.submit(.vacuum)
        #expect(host.batches == [[.vacuum]])
    }

    @Test func `after a failed commit no runner is started before the commit of a request, until one succeeds`() {
        host.commits = .failing
        host.submit(.clean)
        host.forgetThePast()
        for _ in 1...5 { host.submit(.clean) }
        #expect(requested.isEmpty)
        host.commits = .held
        host.submit(.clean)
        #expect(requested.isEmpty)
        host.writeHeldCommits()
        #expect(host.batches == [[.clean]])
        host.runToTheEnd()
        host.advance(by: .minutes(1))
        host.forgetThePast()
        host.commits = .held
        host.submit(.clean)
        #expect(requested.count == 1)
    }

    @Test func `requests submitted during the commit of the first one are in its batch`() {
        host.commits = .held
        for identifier: TaskIdentifier in [.clean, .vacuum, .index] { host.submit(identifier) }
        host.writeHeldCommits()
        #expect(host.batches == [[.clean, .vacuum, .index]] && requested.count == 1)
    }

    @Test func `the batch contains the recorded requests when the commit of another one fails`() {
        host.commits = .held
        host.submit(.clean)
        host.submit(.vacuum)
        host.failNextCommit()
        #expect(host.dismissed.isEmpty)
        host.writeHeldCommits()
        #expect(host.batches == [[.vacuum]] && host.dismissed.isEmpty)
    }

    @Test func `a request submitted after the first result of a commit does not delay the batch`() {
        host.commits = .held
        host.submit(.clean)
        host.submit(.vacuum)
        host.writeNextCommit()
        host.submit(.index)
        host.writeNextCommit()
        host.writeHeldCommits()
        #expect(host.batches == [[.clean, .vacuum]])
    }

    @Test func `a cancellation during the commit of its request dismisses the confined runner`() {
        host.commits = .held
        host.submit(.clean)
        host.cancel(.clean)
        host.writeHeldCommits()
        #expect(host.lastAnswer == .cancelled(1) && host.pending.isEmpty)
        #expect(host.dismissed == requested && host.plans.isEmpty)
    }

    @Test func `a confined runner is not used for a newer manifest of its plugin`() {
        host.commits = .held
        host.submit(.clean)
        host.install(.app(version: "2.0"))
        host.writeHeldCommits()
        let plans = host.plans.filter { $0.lane == .background }
        #expect(plans.map(\.plugin.version) == ["2.0"])
        #expect(host.dismissed.count == 1 && !host.dismissed.contains(plans[0].number))
    }

    @Test func `a request that loses its conditions during its commit waits, and its runner is dismissed`() {
        host.commits = .held
        host.submit(.clean, needsNetwork: true)
        host.change(network: false)
        host.writeHeldCommits()
        #expect(host.dismissed == requested && host.reasons(.clean) == [.network])
        host.change(network: true)
        #expect(host.batches == [[.clean]])
    }

    @Test func `no runner is started before the commit of a request that cannot run at once`() {
        host.change(power: false)
        host.commits = .held
        host.submit(.clean, needsPower: true)
        host.submit(.vacuum, after: .hours(1))
        host.submit(.feed, as: .refresh, after: .seconds(1))
        #expect(requested.isEmpty)
        host.writeHeldCommits()
        #expect(requested.isEmpty && host.pending == [.clean, .vacuum, .feed])
    }

    @Test
    func `a runner that ends during the commit of its request ends the launch without its plan and without a charge`()
        throws
    {
        host.commits = .held
        host.submit(.clean)
        let launch = try #require(requested.first)
        host.send(.launchFailedByHost(launch, message: "no sandbox"))
        host.send(.runnerEnded(launch, .signaled(9), nil))
        host.writeHeldCommits()
        #expect(host.plans.isEmpty && host.outcomes(of: .clean) == [.interrupted])
        #expect(host.lastLaunchEntry?.blame == .host)
        #expect(host.lastLaunchEntry?.message.contains("no sandbox") == true)
        #expect(try #require(host.request(.clean)).retry.attempts == 0)
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean]])
    }

    @Test func `a host that stops during the commit of a request dismisses the confined runner`() {
        host.commits = .held
        host.submit(.clean)
        host.stop()
        #expect(!host.hasStopped)
        host.writeHeldCommits()
        #expect(host.dismissed == requested && host.hasStopped && host.pending == [.clean])
    }

    @Test func `a request whose host is killed during the commit of its launch runs at the next start`() {
        host.commits = .held
        host.submit(.clean)
        host.writeNextCommit()
        host.commits = .written
        host.restart()
        host.runToTheEnd()
        #expect(host.outcomes(of: .clean) == [.succeeded])
    }
}
