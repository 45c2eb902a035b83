// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("The background launches of a plugin share a day budget of running time")
struct DayBudgetTests {
    let host = SchedulerDriver(.app(), .mail()) {
        $0.policies.dayBudget = .minutes(20)
        $0.plugins[.mail, default: PluginPolicy()].dayBudget = .hours(1)
    }

    /// Runs a launch of the given duration and completes its task.
    private func use(_ duration: Duration, _ host: SchedulerDriver? = nil) {
        let host = host ?? self.host
        host.submit(.clean)
        host.advance(by: .seconds(1))
        host.enter()
        host.advance(by: duration)
        host.complete(.clean)
    }

    @Test(.proves("C7")) func `a used up day budget delays a request until the time given in its reason`() {
        use(.minutes(9))
        use(.minutes(9))
        host.submit(.vacuum, after: .seconds(1))
        host.advance(by: .seconds(1))
        #expect(host.running == [.vacuum])
        host.enter()
        host.advance(by: .minutes(5))
        host.complete(.vacuum)
        host.submit(.index)
        host.advance(by: .minutes(1))
        guard case .dayBudget(let until, let limit)? = host.reasons(.index).first else {
            Issue.record("it does not wait for its day")
            return
        }
        #expect(limit == .minutes(20) && host.reasons(.index).count == 1)
        host.advance(by: until - host.clock.now.wall - .nanoseconds(1))
        #expect(host.running.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(host.running == [.index])
    }

    @Test(.proves(85, "C7")) func `the running time of pushes counts against the day budget`() {
        let host = SchedulerDriver(.pushed()) { $0.policies.dayBudget = .seconds(40) }
        for _ in 1...2 {
            host.push()
            host.enter(registering: [])
            host.advance(by: .seconds(25))
            host.complete(.appPush)
            host.advance(by: .seconds(2))
        }
        host.push()
        #expect(host.reasons(.appPush).map(\.code) == ["day-budget"])
    }

    @Test(.proves("C7")) func `the used up day budget of one plugin does not delay another plugin`() {
        for _ in 1...3 { use(.minutes(9)) }
        host.submit(.vacuum)
        host.submit(.sweep, by: .plugin(.mail))
        host.advance(by: .minutes(1))
        #expect(host.running == [.sweep])
    }

    @Test(.proves("C7")) func `events and continued tasks do not wait for a used up day budget`() {
        let host = SchedulerDriver(.studio(extensions: [.keyboard]), .keyboard()) {
            $0.policies.dayBudget = .minutes(1)
        }
        use(.minutes(2), host)
        host.trigger()
        #expect(host.plans.last?.lane == .event)
        host.submitContinued()
        #expect(host.plans.last?.lane == .continued)
        host.submit(.vacuum)
        host.advance(by: .seconds(2))
        #expect(host.reasons(.vacuum).map(\.code) == ["day-budget"])
    }

    @Test(.proves("C7")) func `a used up day budget survives a restart`() {
        for _ in 1...3 { use(.minutes(9)) }
        host.submit(.vacuum)
        host.restart(after: .minutes(5))
        host.finishStarting()
        host.advance(by: .seconds(2))
        #expect(host.reasons(.vacuum).map(\.code) == ["day-budget"])
    }

    @Test(.proves("C7")) func `purging and installing a plugin again does not reset its day budget`() {
        for _ in 1...3 { use(.minutes(9)) }
        host.remove(.app)
        #expect(host.purge(.app) == .purged(0))
        host.install(.app())
        host.finishStarting()
        host.submit(.vacuum)
        host.advance(by: .minutes(1))
        #expect(host.reasons(.vacuum).map(\.code) == ["day-budget"])
        host.advance(by: .days(1))
        #expect(host.batches.last == [.vacuum])
    }

    @Test(.proves("C7"))
    func `after the clock steps back, running time now dated in the future no longer uses up the day budget`() {
        host.advance(by: .hours(8))
        for _ in 1...3 { use(.minutes(9)) }
        host.submit(.vacuum)
        host.advance(by: .minutes(1))
        #expect(host.reasons(.vacuum).map(\.code) == ["day-budget"])
        host.stepWallClock(by: -.hours(2))
        #expect(host.running == [.vacuum])
    }

    @Test(.proves("C7"))
    func `after the clock steps back twice, running time now dated in the future no longer uses up the day budget`() {
        for _ in 1...3 { use(.minutes(9)) }
        host.submit(.vacuum)
        host.advance(by: .minutes(1))
        #expect(host.reasons(.vacuum).map(\.code) == ["day-budget"])
        host.advance(by: .hours(10))
        host.submit(.sweep, after: .hours(5), by: .plugin(.mail))
        host.stepWallClock(by: -.hours(10))
        host.stepWallClock(by: -.minutes(35))
        #expect(host.running == [.vacuum])
    }

    @Test(.proves("C7"))
    func `a request does not wait for a used up day budget when the day budget policy is switched off`() {
        let host = SchedulerDriver(.app()) {
            $0.policies.dayBudget = .minutes(1)
            $0.policies.off = [.dayBudget]
        }
        use(.minutes(9), host)
        host.submit(.vacuum)
        host.advance(by: .seconds(1))
        #expect(host.running == [.vacuum])
    }
}
