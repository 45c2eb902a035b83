// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("A plan states since when only other work and the host delayed each task")
struct EligibleTimeTests {
    private let host = SchedulerDriver(
        .app(),
        .mail(),
        conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
    )

    /// Seconds from `start` to the time since which the task of the last plan was eligible.
    private func eligible(since start: WallTime) throws -> Int64 {
        let task = try #require(host.lastPlan?.tasks.first)
        return (try #require(task.eligibleSince) - start).wholeNanoseconds / 1_000_000_000
    }

    @Test func `a task that waited for a condition is eligible since the condition changed`() throws {
        let start = host.clock.now.wall
        host.submit(.clean)
        host.advance(by: .minutes(5))
        #expect(host.running.isEmpty)
        host.change(idle: true)
        #expect(host.running == [.clean])
        #expect(try eligible(since: start) == 300)
    }

    @Test func `a task that waited for its earliest begin is eligible since that time`() throws {
        host.change(idle: true)
        let start = host.clock.now.wall
        host.submit(.clean, after: .minutes(2))
        host.advance(by: .minutes(3))
        #expect(host.running == [.clean])
        #expect(try eligible(since: start) == 120)
    }

    @Test func `the counts of pending requests by kind follow submissions, replacements and launches`() {
        host.submit(.clean)
        host.submit(.clean)
        #expect(host.scheduler.workGauges(at: host.clock.now).pending[.processing] == 1)
        host.change(idle: true)
        #expect(host.running == [.clean])
        let gauges = host.scheduler.workGauges(at: host.clock.now)
        #expect(gauges.pending[.processing] == 0 && gauges.capacityWaits[.background] == .zero)
    }

    @Test func `the wait for capacity of a lane lasts from the first plugin that waits until none waits`() {
        let host = SchedulerDriver(.app(), .mail()) { $0.backgroundLaunches = 1 }
        host.submit(.clean)
        #expect(host.running == [.clean])
        host.submit(.sweep, by: .plugin(.mail))
        host.advance(by: .seconds(7))
        let now = host.clock.now
        #expect(host.scheduler.workGauges(at: now).capacityWaits[.background] == .seconds(7))
        host.runToTheEnd()
        host.advance(by: .seconds(1))
        #expect(host.running == [.sweep])
        #expect(host.scheduler.workGauges(at: host.clock.now).capacityWaits[.background] == .zero)
    }
}
