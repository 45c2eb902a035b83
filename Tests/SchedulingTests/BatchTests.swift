// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A launch takes the eligible requests of its plugin; it gets a runner, is committed, and then gets its plan")
struct BatchTests {
    let host = SchedulerDriver(.app(), .mail())

    /// Submits three requests that become due at the same instant.
    private func submitThree() {
        host.submit(.feed, as: .refresh, after: .minutes(1))
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
    }

    @Test(.proves(45))
    func `an eligible refresh request is launched as a refresh task in the background lane`() throws {
        host.submit(.feed, as: .refresh)
        let plan = try #require(host.lastPlan)
        #expect(plan.lane == .background && plan.cause == .due)
        #expect(plan.tasks.map(\.work.kind) == [.refresh])
        #expect(plan.plugin == .app())
    }

    @Test(.proves(46)) func `a launched task has no outcome before entry returns and is running after it`() {
        host.submit(.feed, as: .refresh)
        #expect(host.outcomes(of: .feed).isEmpty && host.finished.isEmpty)
        host.enter()
        #expect(host.running == [.feed])
    }

    @Test(.proves(47)) func `due refresh and processing requests of a plugin share one launch`() {
        submitThree()
        host.advance(by: .minutes(1))
        #expect(host.batches == [[.feed, .clean, .vacuum]])
    }

    @Test(.proves(47)) func `the oldest submission comes first in a batch`() {
        host.submit(.vacuum, after: .minutes(1))
        host.submit(.clean, after: .seconds(30) + .seconds(30))
        host.advance(by: .minutes(1))
        #expect(host.batches == [[.vacuum, .clean]])
    }

    @Test(.proves(47)) func `due requests of two plugins run in separate launches`() {
        submitThree()
        host.submit(.sweep, after: .minutes(1), by: .plugin(.mail))
        host.advance(by: .minutes(1))
        #expect(Set(host.batches) == [[.feed, .clean, .vacuum], [.sweep]])
    }

    @Test(.proves(47))
    func `requests that are not eligible stay pending, with their reasons, when a batch of their plugin starts`() {
        host.conditions.isOnExternalPower = false
        host.change(power: false)
        submitThree()
        host.submit(.index, after: .minutes(1), needsPower: true)
        host.submit(.job(1), after: .minutes(2))
        host.advance(by: .minutes(1))
        #expect(host.batches == [[.feed, .clean, .vacuum]])
        #expect(host.reasons(.index).contains(.externalPower))
        #expect(host.reasons(.job(1)).map(\.code).contains("earliest-begin"))
        #expect(Set(host.pending) == [.index, .job(1)])
    }

    @Test(.proves(52)) func `a task without a handler ends as not registered, and the other tasks of its batch run`() {
        submitThree()
        host.advance(by: .minutes(1))
        host.enter(registering: [.feed, .vacuum])
        #expect(host.outcomes(of: .clean) == [.notRegistered])
        #expect(host.lastEntry(of: .clean)?.blame == .plugin)
        #expect(host.running == [.feed, .vacuum])
        host.complete(.feed)
        host.complete(.vacuum)
        #expect(host.launchOutcomes == [.completed])
        #expect(host.pending.isEmpty)
    }

    @Test(.proves("C2")) func `a launch without any handler ends at once`() {
        host.submit(.clean)
        host.enter(registering: [])
        #expect(host.outcomes(of: .clean) == [.notRegistered])
        #expect(host.finished.count == 1)
    }

    @Test(.proves(63)) func `the completion of a task is journaled under the identifier of its request`() {
        host.submit(.clean)
        host.enter()
        host.complete(.clean)
        #expect(host.lastEntry(of: .clean)?.label == "com.example.app.clean")
    }

    @Test(.proves("C1")) func `a request leaves the pending list when its launch is committed, not before`() {
        host.runners = .held
        host.submit(.clean)
        #expect(host.pending == [.clean])
        host.commits = .held
        host.bringRunners()
        #expect(host.pending == [.clean] && host.plans.isEmpty)
        host.writeHeldCommits()
        #expect(host.pending.isEmpty && host.running == [.clean])
    }

    @Test(.proves("C1")) func `a request that becomes eligible before the runner is ready joins the batch`() {
        host.runners = .held
        host.submit(.clean)
        host.submit(.vacuum)
        host.bringRunners()
        #expect(host.batches == [[.clean, .vacuum]])
    }

    @Test(.proves("C1"))
    func `a request that becomes eligible during the commit of a batch waits for the next launch`() {
        host.runners = .held
        host.submit(.clean)
        host.commits = .held
        host.bringRunners()
        host.submit(.vacuum)
        host.writeHeldCommits()
        #expect(host.batches == [[.clean]])
        #expect(host.reasons(.vacuum) == [.laneBusy(.background, host.plans[0].number)])
        host.runToTheEnd()
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean], [.vacuum]])
    }

    @Test(.proves("C1")) func `a request that loses its network before the runner is ready is not in the batch`() {
        host.runners = .held
        host.submit(.clean, needsNetwork: true)
        host.submit(.vacuum)
        host.change(network: false)
        host.bringRunners()
        #expect(host.batches == [[.vacuum]])
    }

    @Test(.proves("C7"))
    func `more eligible requests than the batch size are split into several launches, oldest requests first`() {
        let host = SchedulerDriver(.app()) { $0.batchSize = 2 }
        for number in 1...3 { host.submit(.job(number), after: .minutes(1)) }
        host.advance(by: .minutes(1))
        host.runToTheEnd()
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.job(1), .job(2)], [.job(3)]])
    }

    @Test(.proves(17)) func `registering handlers for permitted identifiers outside the batch is not a violation`() {
        host.submit(.clean)
        host.enter(registering: [.feed, .clean, .vacuum, .index])
        #expect(host.entries(.violation).isEmpty)
        #expect(host.running == [.clean])
    }

    @Test(.proves(17)) func `a missing handler has no effect until a request of its identifier is launched`() {
        host.submit(.clean)
        host.enter(registering: [.clean])
        host.complete(.clean)
        #expect(host.launchOutcomes == [.completed] && host.entries(.violation).isEmpty)
        #expect(host.journal.contains { $0.label == TaskIdentifier.vacuum.text } == false)
        host.submit(.vacuum)
        host.advance(by: .seconds(1))
        host.enter(registering: [.clean])
        #expect(host.outcomes(of: .vacuum) == [.notRegistered])
    }

    @Test(.proves("C17"))
    func `a running launch completes its task although a newer manifest no longer permits the identifier`() {
        host.submit(.clean)
        host.install(.app(version: "2.0", permitted: [.exact(.vacuum)]))
        host.enter(host.plans[0])
        host.complete(.clean, in: host.plans[0])
        #expect(host.outcomes(of: .clean) == [.succeeded])
        #expect(host.entries(.violation).isEmpty)
    }
}
