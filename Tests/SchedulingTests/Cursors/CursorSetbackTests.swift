// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A task that moves its cursor and keeps crashing waits longer each time, and is reported")
struct CursorSetbackTests: CursorSuite {
    let host = SchedulerDriver(.app())

    @Test(.proves("C19"), arguments: [1, 3, 12])
    func `a task that crashes after it moved its cursor is requeued with a delay and without a charge`(runs: Int) throws
    {
        launch(.clean)
        for run in 1...runs {
            try write(.clean)
            host.crash()
            #expect(host.outcomes(of: .clean) == Array(repeating: .continues, count: run))
            #expect(try retry(.clean).attempts == 0)
            let delay = min(Duration.seconds(10) * (1 << max(0, run - 2)), .hours(1))
            #expect(try retry(.clean).notBefore == host.clock.now.wall + delay)
            #expect(try retry(.clean).setbacks == run && retry(.clean).runsAlone)
            #expect(host.entries(.setbacks).count == max(0, run - 4))
            runAgain()
        }
    }

    @Test(.proves("C19")) func `an unblamed run begins the count of setbacks anew`() throws {
        launch(.clean)
        for _ in 0..<2 {
            try write(.clean)
            host.crash()
            runAgain()
        }
        try write(.clean)
        failAtExpiration(.clean)
        #expect(try retry(.clean).setbacks == 0)
        runAgain()
        try write(.clean)
        host.crash()
        #expect(try retry(.clean).notBefore == host.clock.now.wall + .seconds(10))
    }

    @Test(.proves("C19")) func `repeated losses of the host in which the cursor moved delay the task and warn`() throws
    {
        launch(.clean)
        for loss in 1...5 {
            try write(.clean)
            let lost = host.lastPlan?.number
            host.restart(after: .seconds(1))
            if loss > 1 {
                let delay = Duration.seconds(10) * (1 << (loss - 2))
                #expect(try retry(.clean).notBefore == host.clock.now.wall + delay)
                #expect(try retry(.clean).runsAlone)
            }
            #expect(host.entries(.setbacks).count == max(0, loss - 4))
            runAgain(after: lost)
        }
    }

    @Test(.proves("C19")) func `a task that is killed because another one overran has no delay`() throws {
        host.runners = .held
        host.submit(.clean)
        host.submit(.vacuum)
        host.bringRunners()
        host.enter()
        try write(.clean)
        try write(.vacuum)
        host.simulateExpiration(of: .clean)
        host.advance(by: .seconds(3))
        host.simulateExpiration(of: .vacuum)
        host.advance(by: .seconds(2))
        #expect(host.outcomes(of: .vacuum) == [.continues])
        #expect(try retry(.clean).notBefore == host.clock.now.wall + .seconds(10))
        #expect(try retry(.vacuum).notBefore == nil)
    }

    @Test(.proves("C19")) func `a task that moved its cursor and crashes while the host stops has no setback`() throws {
        host.processesObey = false
        launch(.clean)
        try write(.clean)
        host.stop()
        host.crash()
        #expect(host.outcomes(of: .clean) == [.continues])
        #expect(try retry(.clean).setbacks == 0 && retry(.clean).notBefore == nil)
    }

    @Test(.proves("C19"))
    func `a loss of the host in which the cursor moved begins the count of failed completions anew`() throws {
        let terms = FailureRetry(attempts: 3, delay: .seconds(10), backoff: 1, jitter: 0)
        let host = SchedulerDriver(.app(retries: [.exact(.clean): terms])) {
            $0.plugins[.app, default: PluginPolicy()].retries = RetryChoices(.accept)
        }
        func runAgain(after ended: LaunchNumber) {
            for _ in 0..<600 where host.lastPlan?.number == ended { host.advance(by: .seconds(1)) }
            host.enter()
        }
        host.submit(.clean)
        host.enter()
        host.complete(.clean, as: .failure)
        runAgain(after: try #require(host.lastPlan?.number))
        let plan = try #require(host.lastPlan)
        #expect(plan.tasks.first?.work.retry.failures == 1)
        host.writeCursor(.moved, of: try #require(host.task(.clean, of: plan)), in: plan.number)
        host.restart(after: .seconds(1))
        runAgain(after: plan.number)
        #expect(host.outcomes(of: .clean) == [.retrying, .continues])
        #expect(host.lastPlan?.tasks.first?.work.retry.failures == 0)
    }

    @Test(.proves("C19")) func `losses of the host in which the cursor moved are not counted`() throws {
        launch(.clean)
        for _ in 0..<8 {
            try write(.clean)
            let lost = host.lastPlan?.number
            host.restart(after: .seconds(1))
            #expect(host.outcomes(of: .clean).last == .continues)
            runAgain(after: lost)
        }
        host.complete(.clean)
        #expect(host.outcomes(of: .clean).last == .succeeded)
    }
}
