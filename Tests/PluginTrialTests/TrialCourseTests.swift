// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import RunnerWire
import TaskModel
import Testing

@testable import PluginTrial

@Suite("A trial decides like a host with one launch")
struct TrialCourseTests {
    @Test func `a trial's launch stops after its last completion, with a kill time after grace period and exit time`()
        throws
    {
        var trial = try PlayedTrial(tasks: ["one", "two"])
        #expect(trial.begun == [.setKillTime(trial.at(35_000))])
        #expect(trial.enter() == [])
        #expect(trial.complete(0, at: 10) == [])
        #expect(trial.complete(1, at: 20) == [.send(.stop), .setKillTime(trial.at(6_020))])
        #expect(trial.course.log.time { $0 == .stopping } == .milliseconds(20))
    }

    @Test func `a trial stops a launch whose entry fails, and its task has the outcome entry failed`() throws {
        var trial = try PlayedTrial(tasks: ["one"])
        #expect(trial.enter(status: -7).first == .send(.stop))
        #expect(trial.course.log.entryStatus == -7)
        #expect(trial.outcome("one") == .entryFailed)
    }

    @Test func `a trial whose launch was killed because of a failure of the host reports the cause`() throws {
        var trial = try PlayedTrial(tasks: ["one"])
        _ = trial.enter()
        let killed = LaunchEvent.failedByHost(PlayedTrial.launch, message: "no listener")
        #expect(trial.course.receive(killed, at: trial.at(10)) == [])
        trial.end(wasKilled: true)
        #expect(trial.course.log.first { $0 == .notStarted(message: "no listener") ? $0 : nil } != nil)
    }

    @Test func `a trial stops a launch after entry when its only task has no handler`() throws {
        var trial = try PlayedTrial(tasks: ["one"])
        #expect(trial.enter(registered: []).first == .send(.stop))
        #expect(trial.outcome("one") == .notRegistered)
    }

    @Test
    func `a trial's scripted expiration begins its delay when entry returns, and sets the kill a grace period later`()
        throws
    {
        var script = TrialScript([])
        script.expiration = TrialScript.Expiration(after: .milliseconds(100), .networkLost)
        var trial = try PlayedTrial(tasks: ["one"], script)
        #expect(trial.course.nextAlarm == nil)
        _ = trial.enter(at: 50)
        #expect(trial.course.nextAlarm == trial.at(150))
        #expect(trial.course.advance(to: trial.at(149)) == [])
        let expected: [TrialCourse.Action] = [
            .send(.expire([trial.task(0)], .networkLost)), .setKillTime(trial.at(5_150)),
        ]
        #expect(trial.course.advance(to: trial.at(150)) == expected)
        // Then only the time limit of the trial is left.
        #expect(trial.course.nextAlarm == trial.at(600_000))
        #expect(trial.complete(0, .failure, at: 200).first == .send(.stop))
        #expect(trial.course.log.expiration(of: 0) == .networkLost)
    }

    @Test
    func `a trial's task killed after its expiration has the outcome overran with an expiration handler, else expired`()
        throws
    {
        for (hasHandler, outcome) in [(true, TaskOutcome.overran), (false, .expired)] {
            var trial = try PlayedTrial(tasks: ["one"])
            _ = trial.enter()
            if hasHandler { _ = trial.receive(.expirationHandler(trial.task(0), isSet: true), at: 1) }
            _ = trial.receive(.expiring([trial.task(0)], .budget), at: 30_000)
            _ = trial.course.receive(.killTimePassed(PlayedTrial.launch), at: trial.at(35_000))
            trial.end(wasKilled: true)
            #expect(trial.outcome("one") == outcome)
        }
    }

    @Test func `an open assertion delays the stop of a trial's launch, and expires at the deadline`() throws {
        var trial = try PlayedTrial(tasks: ["one"])
        _ = trial.enter()
        let assertion = AssertionID(launch: PlayedTrial.launch, count: 1)
        _ = trial.receive(.assertionBegan(assertion, name: "flush"), at: 5)
        #expect(!trial.complete(0, at: 10).contains(.send(.stop)))
        #expect(trial.course.nextAlarm == trial.at(30_000))
        #expect(trial.course.advance(to: trial.at(30_000)).contains(.send(.expireAssertions(.budget))))
        #expect(trial.receive(.assertionEnded(assertion), at: 30_010).first == .send(.stop))
    }

    @Test func `a trial's continued task expires at the stall limit after its last changed progress`() throws {
        var trial = try PlayedTrial(tasks: ["one"], kind: .continued)
        #expect(trial.enter() == [.setKillTime(trial.at(605_000))])
        let half = try #require(TaskProgress(done: 1, total: 2))
        _ = trial.receive(.progress(trial.task(0), half), at: 1_000)
        _ = trial.receive(.progress(trial.task(0), half), at: 2_000)
        #expect(trial.course.nextAlarm == trial.at(31_000))
        let actions = trial.course.advance(to: trial.at(31_000))
        #expect(actions.first == .send(.expire([trial.task(0)], .noProgress)))
    }

    @Test func `a trial's continued task that always reports progress expires at the time limit, before its kill time`()
        throws
    {
        var trial = try PlayedTrial(tasks: ["one"], kind: .continued)
        #expect(trial.enter() == [.setKillTime(trial.at(605_000))])
        for second in 1..<600 {
            let progress = try #require(TaskProgress(done: Int64(second), total: 1_000))
            _ = trial.receive(.progress(trial.task(0), progress), at: second * 1_000)
            #expect(trial.course.advance(to: trial.at(second * 1_000)) == [])
        }
        #expect(trial.course.nextAlarm == trial.at(600_000))
        let actions = trial.course.advance(to: trial.at(600_000))
        #expect(actions == [.send(.expire([trial.task(0)], .stoppedByUser))])
        #expect(trial.course.log.passedLimit == .seconds(600))
        #expect(trial.course.nextAlarm == nil)
    }

    @Test func `a task that a trial's launch submits after the time limit does not delay the kill of the launch`()
        throws
    {
        var trial = try PlayedTrial(tasks: ["one"], kind: .continued)
        _ = trial.enter()
        _ = trial.course.advance(to: trial.at(600_000))
        let identifier = try #require(TaskIdentifier("com.example.played.one"))
        let request = TaskRequest(identifier: identifier, kind: .continued, continued: ContinuedTerms(title: "Title"))
        let call = CallNumber(rawValue: 1)
        let actions = trial.receive(.submit(call, request, payload: []), at: 601_000)
        #expect(actions.count == 2 && !actions.contains(.setKillTime(nil)))
        let completed = trial.complete(0, at: 602_000)
        #expect(completed.allSatisfy { $0 == .setKillTime(trial.at(605_000)) })
    }

    @Test func `a trial's stall limit starts again at a report of more units at a lower fraction, not of fewer units`()
        throws
    {
        var trial = try PlayedTrial(tasks: ["one"], kind: .continued)
        _ = trial.enter()
        for (time, done, total) in [(1_000, 1, 2), (2_000, 2, 10), (3_000, 1, 10)] {
            let progress = try #require(TaskProgress(done: Int64(done), total: Int64(total)))
            _ = trial.receive(.progress(trial.task(0), progress), at: time)
        }
        #expect(trial.course.nextAlarm == trial.at(32_000))
    }

    @Test func `a trial's task whose process exits, crashes or is killed has the outcome exited, crashed or overran`()
        throws
    {
        let ends: [(ProcessTermination, Bool, TaskOutcome)] = [
            (.exited(code: 0), false, .exited), (.signaled(11), false, .crashed), (.signaled(9), true, .overran),
        ]
        for (termination, wasKilled, outcome) in ends {
            var trial = try PlayedTrial(tasks: ["one"])
            _ = trial.enter()
            trial.end(termination, wasKilled: wasKilled)
            #expect(trial.outcome("one") == outcome)
        }
    }
}
