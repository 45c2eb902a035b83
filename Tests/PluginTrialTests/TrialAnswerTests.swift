// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import TaskModel
import Testing

@testable import PluginTrial

@Suite("A trial answers each call of the plugin")
struct TrialAnswerTests {
    private func submit(_ trial: inout PlayedTrial, _ name: String, _ kind: TaskKind) throws -> [TrialCourse.Action] {
        let identifier = try #require(TaskIdentifier("com.example.played.\(name)"))
        let terms = kind == .continued ? ContinuedTerms(title: "Title") : nil
        let request = TaskRequest(identifier: identifier, kind: kind, continued: terms)
        return trial.receive(.submit(CallNumber(rawValue: 1), request, payload: [7]), at: 5)
    }

    private func refusal(_ actions: [TrialCourse.Action]) -> SubmissionRefusal.SubReason? {
        if case .send(.refused(_, let refusal))? = actions.first { refusal.subReason } else { nil }
    }

    @Test func `a request that a trial accepts is pending until it is replaced or cancelled`() throws {
        var trial = try PlayedTrial(tasks: ["one", "two"])
        _ = trial.enter()
        #expect(
            try submit(&trial, "one", .processing)
                == [.send(.submitted(CallNumber(rawValue: 1), SubmissionNumber(rawValue: 3)))]
        )
        _ = try submit(&trial, "two", .processing)
        _ = try submit(&trial, "one", .refresh)
        #expect(trial.course.pending.map(\.request.kind) == [.processing, .refresh])
        let two = try #require(TaskIdentifier("com.example.played.two"))
        let call = CallNumber(rawValue: 2)
        #expect(trial.receive(.cancel(call, two), at: 6) == [.send(.cancelled(call, isRecorded: true))])
        #expect(trial.receive(.pending(call), at: 7) == [.send(.pending(call, trial.course.pending))])
        #expect(trial.course.pending.map(\.payload) == [[7]])
    }

    @Test func `a trial refuses a request with an unpermitted identifier or of a missing mode, with that sub-reason`()
        throws
    {
        var trial = try PlayedTrial(tasks: ["one"], modes: [.fetch])
        _ = trial.enter()
        #expect(try refusal(submit(&trial, "other", .refresh)) == .identifierNotPermitted)
        #expect(try refusal(submit(&trial, "one", .processing)) == .processingModeMissing)
        #expect(try refusal(submit(&trial, "one", .refresh)) == nil)
    }

    @Test func `a trial refuses a second refresh request with the sub-reason refresh-limit, and accepts a replacement`()
        throws
    {
        var trial = try PlayedTrial(tasks: ["one", "two"])
        _ = trial.enter()
        #expect(try refusal(submit(&trial, "one", .refresh)) == nil)
        #expect(try refusal(submit(&trial, "two", .refresh)) == .refreshLimit)
        #expect(try refusal(submit(&trial, "one", .refresh)) == nil)
    }

    @Test func `in a trial a pattern permits a continued request and does not permit a processing request`() throws {
        var trial = try PlayedTrial(tasks: ["export.*"])
        _ = trial.enter()
        #expect(try refusal(submit(&trial, "export.one", .processing)) == .identifierNotPermitted)
        #expect(try refusal(submit(&trial, "export.one", .continued)) == nil)
    }

    @Test(
        arguments: [(.started, .notInForeground), (.fetch, .notInForeground), (.trigger, nil)]
            as [(EventType, SubmissionRefusal.SubReason?)]
    )
    func `a trial of an event accepts a continued request only if the event is a trigger`(
        _ event: EventType,
        _ expected: SubmissionRefusal.SubReason?
    ) throws {
        var trial = try PlayedTrial(tasks: ["one"], kind: .event, event: event)
        _ = trial.receive(.entered(status: 0, registered: [], offersReceive: true), at: 0)
        #expect(try refusal(submit(&trial, "one", .continued)) == expected)
    }

    @Test(
        arguments: [(.started, .succeeded), (.fetch, .notRegistered), (.trigger, .notRegistered)]
            as [(EventType, TaskOutcome)]
    )
    func `in a trial an event without a receiver has the outcome that a host would record`(
        _ event: EventType,
        _ expected: TaskOutcome
    ) throws {
        var trial = try PlayedTrial(tasks: ["one"], kind: .event, event: event)
        _ = trial.receive(.entered(status: 0, registered: [], offersReceive: false), at: 0)
        #expect(trial.outcome("one") == expected)
    }

    @Test
    func `a trial gives its scripted refusal to a permitted request, and the manifest's refusal to an unpermitted one`()
        throws
    {
        var script = TrialScript([])
        script.answer = .refusal(.unavailable, .notRecorded)
        var trial = try PlayedTrial(tasks: ["one"], script, modes: [.fetch])
        _ = trial.enter()
        #expect(try refusal(submit(&trial, "one", .refresh)) == .notRecorded)
        #expect(try refusal(submit(&trial, "one", .processing)) == .processingModeMissing)
        let scripted = trial.course.log.all { event -> Bool? in
            if case .submitted(_, _, _, let isScripted) = event { isScripted } else { nil }
        }
        #expect(scripted == [true, false])
    }

    @Test(arguments: [false, true])
    func `a trial gives a device token, or refuses each registration for pushes by its script`(refuses: Bool) throws {
        var script = TrialScript([])
        script.refusesPushRegistration = refuses
        var trial = try PlayedTrial(tasks: ["one"], script, modes: [.processing, .remoteNotification])
        _ = trial.enter()
        let actions = trial.receive(.registerForPushes(CallNumber(rawValue: 1)), at: 5)
        #expect(refusal(actions) == (refuses ? .notRecorded : nil))
        guard case .send(.pushToken(_, let token?))? = actions.first else { return #expect(refuses) }
        #expect(!refuses && token.bytes.count == PushToken.size)
    }

    @Test(arguments: [
        ("https://example.com/file", SubmissionRefusal.SubReason.transferLibraryMissing),
        ("ftp://example.com/file", SubmissionRefusal.SubReason.notOffered),
    ])
    func `a trial refuses each transfer, and records the refusal`(
        url: String,
        subReason: SubmissionRefusal.SubReason
    ) throws {
        var trial = try PlayedTrial(tasks: ["one"])
        _ = trial.enter()
        let session = try #require(TransferSession("files"))
        let transfer = TransferDescription(direction: .download, session: session, url: url)
        let actions = trial.receive(.beginTransfer(CallNumber(rawValue: 1), transfer), at: 5)
        #expect(refusal(actions) == subReason)
        let recorded = trial.course.log.all { event -> SubmissionRefusal.SubReason? in
            if case .transferRefused(transfer, let answer) = event { answer.subReason } else { nil }
        }
        #expect(recorded == [subReason])
    }

    @Test func `a continued request submitted in a trial is delivered to the same launch and keeps it open`() throws {
        var trial = try PlayedTrial(tasks: ["one"])
        _ = trial.enter()
        let actions = try submit(&trial, "one", .continued)
        guard case .send(.deliver(let task))? = actions.dropFirst().first else {
            Issue.record("nothing is delivered: \(actions)")
            return
        }
        #expect(!trial.complete(0, at: 10).contains(.send(.stop)))
        #expect(trial.receive(.completed(task.id, .success), at: 20).first == .send(.stop))
    }
}
