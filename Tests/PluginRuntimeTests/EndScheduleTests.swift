// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginRuntime
import TaskModel
import Testing

@Suite("A launch waits until its plugin is quiet, within the host's limits")
struct EndScheduleTests {
    typealias Activity = EndSchedule.Activity

    private let begin = MonotonicTime(nanoseconds: 1_000_000_000_000)
    private var schedule: EndSchedule {
        EndSchedule(begin: begin, gracePeriod: .seconds(5), quietPeriod: .milliseconds(250))
    }

    @Test func `a launch without a callback and without a call of the plugin's threads counts as quiet at once`() {
        #expect(schedule.nextCheck(of: Activity(), at: begin) == nil)
    }

    @Test
    func `a launch with a quiet period of 250 ms counts as quiet 250 ms after the last call of a plugin's thread`() {
        let activity = Activity(lastCall: begin + .milliseconds(-100))
        #expect(schedule.nextCheck(of: activity, at: begin) == begin + .milliseconds(150))
        #expect(schedule.nextCheck(of: activity, at: begin + .milliseconds(149)) == begin + .milliseconds(150))
        #expect(schedule.nextCheck(of: activity, at: begin + .milliseconds(150)) == nil)
    }

    @Test func `a launch with a quiet period of 250 ms counts as quiet 250 ms after the return of the last callback`() {
        let returned = begin + .milliseconds(10)
        #expect(schedule.nextCheck(of: Activity(lastCallback: returned), at: returned) == begin + .milliseconds(260))
        #expect(schedule.nextCheck(of: Activity(lastCallback: returned), at: begin + .milliseconds(260)) == nil)
        let activity = Activity(lastCallback: returned, lastCall: begin + .milliseconds(70))
        #expect(schedule.nextCheck(of: activity, at: begin + .milliseconds(260)) == begin + .milliseconds(320))
        let earlier = Activity(lastCallback: returned, lastCall: begin)
        #expect(schedule.nextCheck(of: earlier, at: begin + .milliseconds(250)) == begin + .milliseconds(260))
    }

    @Test func `a later call of a plugin's thread restarts the launch's quiet period`() {
        let activity = Activity(lastCall: begin + .milliseconds(140))
        #expect(schedule.nextCheck(of: activity, at: begin + .milliseconds(150)) == begin + .milliseconds(390))
    }

    @Test
    func `without a quiet period no past call or callback delays the end of a launch, but a call in progress does`() {
        let schedule = EndSchedule(begin: begin, gracePeriod: .seconds(5))
        #expect(schedule.nextCheck(of: Activity(lastCallback: begin), at: begin) == nil)
        #expect(schedule.nextCheck(of: Activity(lastCall: begin), at: begin) == nil)
        let check = begin + EndSchedule.threadCheckInterval
        #expect(schedule.nextCheck(of: Activity(calls: 1, lastCall: begin), at: begin) == check)
    }

    @Test func `the end of a launch waits for a callback in progress, at most for the grace period`() {
        let activity = Activity(callbacks: 1)
        #expect(schedule.nextCheck(of: activity, at: begin) == begin + .seconds(5))
        #expect(schedule.nextCheck(of: activity, at: begin + .seconds(5)) == nil)
    }

    @Test func `the quiet period of a plugin that never stops calling ends after one second`() {
        let late = begin + .milliseconds(900)
        #expect(schedule.nextCheck(of: Activity(lastCall: late), at: late) == begin + .seconds(1))
        #expect(schedule.nextCheck(of: Activity(lastCall: late), at: begin + .seconds(1)) == nil)
    }

    @Test
    func `the stop function may run for one grace period, at most until 400 ms after the launch's grace period`() {
        let called = begin + .milliseconds(250)
        #expect(schedule.stopDeadline(calledAt: called) == called + .seconds(5))
        #expect(schedule.stopDeadline(calledAt: begin + .seconds(1)) == begin + .milliseconds(5_400))
    }

    @Test(arguments: [Duration.milliseconds(1), .milliseconds(300), .seconds(5), .seconds(7 * 86_400)])
    func `every stage of a launch's end has its deadline at least half a second before the host's kill time`(
        gracePeriod: Duration
    ) {
        let quiet = Duration.milliseconds(250)
        let schedule = EndSchedule(begin: begin, gracePeriod: gracePeriod, quietPeriod: quiet)
        let kill = begin + gracePeriod + .seconds(1)
        #expect(schedule.quietBy > begin + quiet && schedule.quietBy <= begin + .seconds(1))
        #expect(schedule.settledBy >= schedule.quietBy && schedule.settledBy >= begin + gracePeriod)
        for quiet in [Duration.zero, .milliseconds(250), .seconds(1)] {
            let schedule = EndSchedule(begin: begin, gracePeriod: gracePeriod, quietPeriod: quiet)
            #expect(schedule.settledBy < schedule.stoppedBy && schedule.stoppedBy < schedule.flushedBy)
        }
        #expect(schedule.flushedBy == kill + .milliseconds(-500))
        #expect(schedule.flushDeadline(begunAt: kill) == schedule.flushedBy)
        #expect(schedule.stopDeadline(calledAt: kill) == schedule.stoppedBy)
    }
}
