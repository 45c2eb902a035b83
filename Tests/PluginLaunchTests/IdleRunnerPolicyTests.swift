// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import PluginLaunch

@Suite("Idle runners exist only while launches are frequent")
struct IdleRunnerPolicyTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    /// A policy of two idle runners after a launch at `start`.
    private var afterLaunch: IdleRunnerPolicy {
        var policy = IdleRunnerPolicy(capacity: 2)
        policy.launchStarted(withIdleRunner: false, at: start)
        return policy
    }

    @Test func `before the first launch no idle runner is due, and no time is set`() {
        let policy = IdleRunnerPolicy(capacity: 2)
        #expect(!policy.isStartDue(idle: 0, at: start))
        #expect(policy.nextTime(idle: 0) == nil)
    }

    @Test func `the first idle runner is due one start delay after a launch`() {
        let due = start + IdleRunnerPolicy.startDelay
        #expect(afterLaunch.nextTime(idle: 0) == due)
        #expect(!afterLaunch.isStartDue(idle: 0, at: due + .nanoseconds(-1)))
        #expect(afterLaunch.isStartDue(idle: 0, at: due))
    }

    @Test func `a second launch within the start delay does not postpone the start of an idle runner`() {
        var policy = afterLaunch
        policy.launchStarted(withIdleRunner: false, at: start + .milliseconds(4))
        #expect(policy.nextTime(idle: 0) == start + IdleRunnerPolicy.startDelay)
    }

    @Test func `idle runners are started one after the other until their number is the capacity`() {
        var policy = afterLaunch
        let due = start + IdleRunnerPolicy.startDelay
        policy.started(idle: 1)
        #expect(policy.isStartDue(idle: 1, at: due))
        policy.started(idle: 2)
        #expect(!policy.isStartDue(idle: 2, at: due))
        #expect(policy.nextTime(idle: 2) == start + IdleRunnerPolicy.quietTime)
    }

    @Test func `idle runners end once, at the quiet time after the last launch`() {
        var policy = afterLaunch
        policy.launchStarted(withIdleRunner: true, at: start + .seconds(1))
        let end = start + .seconds(1) + IdleRunnerPolicy.quietTime
        let ends = [end + .nanoseconds(-1), end, end].map { policy.takeQuiet(at: $0) }
        #expect(ends == [false, true, false])
        #expect(policy.nextTime(idle: 0) == nil)
    }

    @Test func `after failures the next start waits 1, 2, 4 and at most 60 seconds`() {
        var policy = afterLaunch
        var delays: [Duration] = []
        for _ in 0..<8 {
            policy.failed(at: start)
            delays.append(policy.nextTime(idle: 0).map { $0 - start } ?? .zero)
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60].map { Duration.seconds($0) })
    }

    @Test func `a launch without an idle runner does not shorten the delay after a failure`() {
        var policy = afterLaunch
        policy.failed(at: start)
        policy.launchStarted(withIdleRunner: false, at: start + .milliseconds(1))
        #expect(policy.nextTime(idle: 0) == start + .seconds(1))
    }

    @Test func `a launch with an idle runner resets the delay after failures`() {
        var policy = afterLaunch
        for _ in 0..<3 { policy.failed(at: start) }
        policy.launchStarted(withIdleRunner: true, at: start)
        policy.failed(at: start)
        #expect(policy.nextTime(idle: 0) == start + .seconds(1))
    }

    @Test func `with capacity 0 no idle runner is due after a launch, and no time is set`() {
        var policy = IdleRunnerPolicy(capacity: 0)
        policy.launchStarted(withIdleRunner: false, at: start)
        #expect(!policy.isStartDue(idle: 0, at: start + .seconds(1)))
        #expect(policy.nextTime(idle: 0) == nil)
    }

    @Test func `a capacity that is raised again within the quiet time makes a start due`() {
        var policy = afterLaunch
        policy.started(idle: 2)
        policy.setCapacity(0, at: start + .seconds(1))
        #expect(policy.nextTime(idle: 0) == nil)
        policy.setCapacity(2, at: start + .seconds(2))
        #expect(policy.isStartDue(idle: 0, at: start + .seconds(2) + IdleRunnerPolicy.startDelay))
    }
}
