// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A push that the host cannot accept or record is refused with the cause", .proves(85, "C21"))
struct PushRefusalTests {
    private let host = SchedulerDriver(.pushed(), .mail())

    @Test func `a push to a plugin without the background mode is refused with the mode`() throws {
        let refusal = try #require(host.push(to: .mail)?.refusal)
        #expect(refusal.code == .notPermitted && refusal.subReason == .remoteNotificationModeMissing)
        #expect(
            refusal.message == """
                a push needs the background mode remote-notification, which the manifest of com.example.mail does not \
                list; add it to background-modes
                """
        )
    }

    @Test func `a push to an extension or an unknown plugin is refused`() throws {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard())
        #expect(host.push(to: .keyboard)?.refusal?.subReason == .remoteNotificationModeMissing)
        #expect(host.push(to: "com.example.unknown")?.refusal?.subReason == .pluginMissing)
    }

    @Test func `a push whose commit fails is refused and not delivered`() throws {
        host.commits = .failing
        let refusal = try #require(host.push()?.refusal)
        #expect(refusal.code == .unavailable && refusal.subReason == .notRecorded)
        host.commits = .written
        host.advance(by: .minutes(1))
        #expect(host.plans.isEmpty)
    }

    @Test func `a push is refused while the lapse of the waiting push cannot be recorded`() throws {
        host.change(memoryLow: true)
        host.push(until: .minutes(1))
        host.commits = .failing
        host.advance(by: .minutes(1))
        #expect(try #require(host.push()?.refusal).subReason == .notRecorded)
        host.commits = .written
        host.advance(by: .seconds(1))
        #expect(host.entries(.lapsed).count == 1)
        #expect(host.push()?.pushResult == .stored(replacing: nil))
    }

    @Test func `a push that waits for a lapse is refused when the commit of the lapse fails`() throws {
        host.change(memoryLow: true)
        host.push(until: .minutes(1))
        host.commits = .held
        host.advance(by: .minutes(1))
        #expect(host.push() == nil)
        let push = ReplyToken(rawValue: host.lastReply)
        while !host.heldCommits.isEmpty { host.failNextCommit() }
        #expect(host.answers[push]?.refusal?.subReason == .notRecorded)
    }

    @Test func `a push is refused while the end of a delivered push cannot be recorded`() throws {
        host.push()
        host.enter(registering: [])
        host.commits = .failing
        host.complete(.appPush)
        #expect(try #require(host.push()?.refusal).subReason == .notRecorded)
        host.commits = .written
        host.advance(by: .seconds(1))
        #expect(host.outcomes(of: .appPush) == [.succeeded])
        #expect(host.push()?.pushResult == .stored(replacing: nil))
    }

    @Test func `a push that waits for the record of a launch is refused when the host stops`() throws {
        host.push()
        host.enter(registering: [])
        host.commits = .held
        host.complete(.appPush)
        #expect(host.push() == nil)
        let push = ReplyToken(rawValue: host.lastReply)
        host.stop()
        #expect(host.answers[push]?.refusal?.subReason == .hostStopping)
    }

    @Test func `a push that waits for a commit is refused when the host stops`() {
        host.change(memoryLow: true)
        host.commits = .held
        host.push()
        host.push()
        let second = ReplyToken(rawValue: host.lastReply)
        host.stop()
        host.writeHeldCommits()
        #expect(host.answers[second]?.refusal?.subReason == .hostStopping)
    }

    @Test func `a push submitted as a request by a plugin is refused`() {
        let request = TaskRequest.push(to: .app)
        let answer = host.ask { .submitted(Submission(request: request, submitter: .plugin(.app)), reply: $0) }
        #expect(answer?.refusal?.code == .notPermitted)
    }

    @Test func `a request with the identifier of pushes is refused with the command that sends a push`() throws {
        for kind in [TaskKind.refresh, .processing] {
            let refusal = try #require(host.submit(.appPush, as: kind, by: .user)?.refusal)
            #expect(refusal.subReason == .identifierNotPermitted)
            #expect(refusal.message.contains("\"bgtask push send com.example.app\""))
        }
    }
}
