// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("An orderly stop starts nothing, tells what runs, and charges nobody")
struct StoppingTests {
    let host = SchedulerDriver(.app(), .mail())

    @Test(.proves("C3")) func `an idle host has stopped at once`() {
        host.stop()
        #expect(host.hasStopped)
    }

    @Test(.proves("C3")) func `running tasks are told that the host shuts down`() {
        host.submit(.clean)
        host.enter()
        host.stop()
        #expect(host.expirations.map(\.reason) == [.hostShutdown])
        #expect(!host.hasStopped)
        host.complete(.clean)
        #expect(host.hasStopped)
        #expect(host.outcomes(of: .clean) == [.succeeded])
    }

    @Test(.proves("C3")) func `a ledger that fails keeps no host from stopping`() {
        host.submit(.clean)
        host.enter()
        host.commits = .failing
        host.complete(.clean)
        host.stop()
        #expect(!host.hasStopped)
        host.advance(by: .seconds(60))
        #expect(host.hasStopped)
    }

    @Test(.proves("C3")) func `what does not complete in the grace returns, uncharged`() throws {
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

    @Test(.proves("C3")) func `told of the shutdown, a task is charged for no way in which its process ends`() throws {
        host.submit(.clean)
        host.enter()
        host.stop()
        host.crash(signal: 15)
        #expect(try #require(host.request(.clean)).retry == Retry(wasInterrupted: true))
        #expect(host.outcomes(of: .clean) == [.interrupted])
    }

    @Test(.proves("C3")) func `what was told to stop for another reason before is consumed all the same`() {
        host.submit(.clean)
        host.enter()
        host.simulateExpiration(of: .clean)
        host.stop()
        host.advance(by: .seconds(5))
        #expect(host.outcomes(of: .clean) == [.expired])
        #expect(host.pending.isEmpty && host.hasStopped)
    }

    @Test(.proves("C3")) func `a plugin that is inside its entry is ended at once, uncharged`() throws {
        host.submit(.clean)
        host.stop()
        #expect(host.killed.count == 1 && host.hasStopped)
        #expect(host.outcomes(of: .clean) == [.interrupted])
        #expect(try #require(host.request(.clean)).retry.attempts == 0)
    }

    @Test(.proves("C3")) func `a launch that is being recorded is ended before its plan, uncharged`() throws {
        host.runners = .held
        host.submit(.clean)
        host.commits = .held
        host.bringRunners()
        host.stop()
        host.writeHeldCommits()
        #expect(host.plans.isEmpty && host.killed.count == 1 && host.hasStopped)
        #expect(try #require(host.request(.clean)).retry.attempts == 0)
    }

    @Test(.proves("C3")) func `a runner that comes too late is given back`() {
        host.runners = .held
        host.submit(.clean)
        host.stop()
        #expect(!host.hasStopped)
        host.bringRunners()
        #expect(host.dismissed.count == 1 && host.hasStopped)
        #expect(host.pending == [.clean])
    }

    @Test(.proves("C3")) func `nothing new is accepted or started`() throws {
        host.submit(.vacuum, after: .seconds(1))
        host.stop()
        let refusal = try #require(host.submit(.clean)?.refusal)
        #expect(refusal.code == .unavailable && refusal.subReason == .hostStopping)
        host.advance(by: .hours(1))
        #expect(host.plans.isEmpty && host.simulateLaunch(of: .vacuum)?.complaint?.contains("stopping") == true)
    }

    @Test(.proves("C3")) func `it has stopped when everything is recorded, and says so once`() {
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

    @Test(.proves("C3")) func `what was interrupted runs again at the next start`() {
        host.submit(.clean)
        host.enter()
        host.stop()
        host.advance(by: .seconds(5))
        host.restart()
        #expect(host.batches == [[.clean], [.clean]])
        #expect(host.plans.contains { $0.cause == .relaunch })
    }

    @Test(.proves("C3"))
    func `a stop before the pending work is loaded leaves what the last host left running to the next one`() {
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
