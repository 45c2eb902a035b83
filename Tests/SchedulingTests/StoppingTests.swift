// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("An orderly stop starts nothing, expires running tasks and charges none of them")
struct StoppingTests {
    let host = SchedulerDriver(.app(), .mail())

    @Test(.proves("C3")) func `a host without launches stops at once`() {
        host.stop()
        #expect(host.hasStopped)
    }

    @Test(.proves("C3"))
    func `a stopping host expires running tasks with reason host-shutdown and waits for their completion`() {
        host.submit(.clean)
        host.enter()
        host.stop()
        #expect(host.expirations.map(\.reason) == [.hostShutdown])
        #expect(!host.hasStopped)
        host.complete(.clean)
        #expect(host.hasStopped)
        #expect(host.outcomes(of: .clean) == [.succeeded])
    }

    @Test(.proves("C3", "C7"))
    func `a stopping host waits for the process of a completed launch, and kills the process at its kill time`() {
        host.processesObey = false
        host.submit(.clean)
        host.runToTheEnd()
        host.stop()
        host.advance(by: .seconds(5))
        #expect(!host.hasStopped && host.killed.isEmpty)
        host.advance(by: .seconds(1))
        #expect(host.killed.count == 1 && !host.hasStopped)
        host.end(nil, .signaled(9))
        #expect(host.hasStopped && host.outcomes(of: .clean) == [.succeeded])
    }

    @Test(.proves("C3")) func `a host whose commits fail still stops within a minute`() {
        host.submit(.clean)
        host.enter()
        host.commits = .failing
        host.complete(.clean)
        host.stop()
        #expect(!host.hasStopped)
        host.advance(by: .seconds(60))
        #expect(host.hasStopped)
    }

    @Test(.proves("C3"))
    func `a task open at the end of the grace period of a stop is requeued without a charge`() throws {
        host.submit(.clean)
        host.enter()
        host.setExpirationHandler(for: .clean)
        host.stop()
        host.advance(by: .seconds(5))
        #expect(host.killed.count == 1 && host.hasStopped)
        #expect(host.outcomes(of: .clean) == [.interrupted])
        #expect(host.launchOutcomes == [.interrupted])
        #expect(host.lastEntry(of: .clean)?.blame == .host)
        #expect(try #require(host.request(.clean)).retry == Retry(wasInterrupted: true))
    }

    @Test(.proves("C3")) func `a task whose process crashes during a stop is requeued without a charge`() throws {
        host.submit(.clean)
        host.enter()
        host.stop()
        host.crash(signal: 15)
        #expect(try #require(host.request(.clean)).retry == Retry(wasInterrupted: true))
        #expect(host.outcomes(of: .clean) == [.interrupted])
    }

    @Test(.proves("C3")) func `a task that expired for another reason before the stop is not requeued`() {
        host.submit(.clean)
        host.enter()
        host.simulateExpiration(of: .clean)
        host.stop()
        host.advance(by: .seconds(5))
        #expect(host.outcomes(of: .clean) == [.expired])
        #expect(host.pending.isEmpty && host.hasStopped)
    }

    @Test(.proves("C3")) func `a launch inside entry is killed at once when the host stops, without a charge`() throws {
        host.submit(.clean)
        host.stop()
        #expect(host.killed.count == 1 && host.hasStopped)
        #expect(host.outcomes(of: .clean) == [.interrupted])
        #expect(try #require(host.request(.clean)).retry.attempts == 0)
    }

    @Test(.proves("C3"))
    func `a launch that is being committed when the host stops is killed before its plan is sent, without a charge`()
        throws
    {
        host.runners = .held
        host.submit(.clean)
        host.commits = .held
        host.bringRunners()
        host.stop()
        host.writeHeldCommits()
        #expect(host.plans.isEmpty && host.killed.count == 1 && host.hasStopped)
        #expect(try #require(host.request(.clean)).retry.attempts == 0)
    }

    @Test(.proves("C3"))
    func `a runner that becomes ready after the stop is dismissed, and its request stays pending`() {
        host.runners = .held
        host.submit(.clean)
        host.stop()
        #expect(!host.hasStopped)
        host.bringRunners()
        #expect(host.dismissed.count == 1 && host.hasStopped)
        #expect(host.pending == [.clean])
    }

    @Test(.proves("C3")) func `a stopping host refuses submissions and launches nothing`() throws {
        host.submit(.vacuum, after: .seconds(1))
        host.stop()
        let refusal = try #require(host.submit(.clean)?.refusal)
        #expect(refusal.code == .unavailable && refusal.subReason == .hostStopping)
        host.advance(by: .hours(1))
        #expect(host.plans.isEmpty && host.requestRun(of: .vacuum)?.failureMessage?.contains("stopping") == true)
    }

    @Test(.proves("C3")) func `the host has stopped when all changes are on disk, and announces its stop once`() {
        host.submit(.clean)
        host.enter()
        host.commits = .held
        host.stop()
        host.complete(.clean)
        #expect(!host.hasStopped)
        host.writeHeldCommits()
        host.stop()
        host.advance(by: .hours(1))
        #expect(host.actions.count { $0 == .stopped } == 1)
    }

    @Test(.proves("C3")) func `a task interrupted by the stop of its host is relaunched at the next start`() {
        host.submit(.clean)
        host.enter()
        host.stop()
        host.advance(by: .seconds(5))
        host.restart()
        #expect(host.batches == [[.clean], [.clean]])
        #expect(host.plans.contains { $0.cause == .relaunch })
    }

    @Test(.proves("C3"))
    func `a stop before pending work is loaded leaves the running tasks of the previous host to the next host`() {
        host.submit(.clean)
        host.enter()
        host.processes = [:]
        host.scheduler = Scheduler(
            configuration: host.configuration,
            conditions: host.conditions,
            snapshot: host.ledger.snapshot,
            at: host.clock.now
        )
        host.stop()
        #expect(host.hasStopped)
        #expect(host.ledger.requests.isEmpty && host.ledger.runningLaunches.count == 1)
        host.restart()
        #expect(host.lastPlan?.tasks.first?.work.retry == Retry(wasInterrupted: true, hostLosses: 1))
    }
}
