// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("A request that has not started by its deadline lapses", .proves("C20"))
struct DeadlineTests {
    let host = SchedulerDriver(.app(), .mail())

    @Test func `a request that waits lapses exactly at its deadline, with a journal entry`() throws {
        host.change(power: false)
        let number = try #require(host.submit(.clean, until: .minutes(5), needsPower: true)?.submission)
        host.advance(by: .minutes(5) - .nanoseconds(1))
        #expect(host.pending == [.clean])
        host.advance(by: .nanoseconds(1))
        #expect(host.pending.isEmpty && host.ledger.requests.isEmpty)
        let entry = try #require(host.entries(.lapsed).first)
        #expect(entry.submission == number && entry.label == TaskIdentifier.clean.text && entry.blame == .nobody)
        #expect(entry.at == host.clock.now.wall)
    }

    @Test func `a request whose reasons end before its deadline runs`() {
        host.change(power: false)
        host.submit(.clean, until: .minutes(5), needsPower: true)
        host.advance(by: .minutes(4))
        host.change(power: true)
        #expect(host.batches == [[.clean]])
        host.enter()
        host.advance(by: .minutes(2))
        #expect(host.running == [.clean] && host.entries(.lapsed).isEmpty)
    }

    @Test func `a request never starts at or after its deadline, even if the alarm is late`() {
        host.change(power: false)
        host.submit(.clean, until: .minutes(5), needsPower: true)
        // The timer has not fired when the condition changes.
        host.clock.advance(by: .minutes(5))
        host.change(power: true)
        #expect(host.batches.isEmpty && host.entries(.lapsed).count == 1)
    }

    @Test func `a request in a batch that is being committed at its deadline runs`() {
        host.commits = .held
        host.submit(.clean, until: .minutes(1))
        host.writeNextCommit()
        host.clock.advance(by: .minutes(2))
        host.writeHeldCommits()
        #expect(host.batches == [[.clean]] && host.entries(.lapsed).isEmpty)
    }

    @Test func `a request whose launch could not be recorded before its deadline lapses`() {
        host.commits = .held
        host.submit(.clean, until: .minutes(1))
        host.writeNextCommit()
        host.clock.advance(by: .minutes(2))
        host.failNextCommit()
        host.writeHeldCommits()
        #expect(host.batches.isEmpty && host.pending.isEmpty && host.entries(.lapsed).count == 1)
    }

    @Test func `a request whose lapse could not be recorded does not start, and lapses later`() {
        host.change(power: false)
        host.submit(.clean, until: .minutes(1), needsPower: true)
        host.commits = .failing
        host.advance(by: .minutes(1))
        #expect(host.pending == [.clean])
        host.commits = .written
        host.change(power: true)
        host.advance(by: .minutes(1))
        #expect(host.batches.isEmpty && host.pending.isEmpty && host.entries(.lapsed).count == 1)
    }

    @Test func `a cancellation of a request whose lapse cannot be recorded is answered`() throws {
        host.change(power: false)
        host.submit(.clean, until: .minutes(1), needsPower: true)
        host.commits = .held
        host.advance(by: .minutes(1))
        #expect(host.cancel(.clean) == nil)
        let cancellation = ReplyToken(rawValue: host.lastReply)
        while !host.heldCommits.isEmpty { host.failNextCommit() }
        #expect(host.answers[cancellation] == .notRecorded(message: "disk full"))
    }

    @Test func `a cancellation that waits for a failed lapse is answered when the host stops`() throws {
        host.change(power: false)
        host.submit(.clean, until: .minutes(1), needsPower: true)
        host.commits = .failing
        host.advance(by: .minutes(1))
        #expect(host.cancel(.clean) == nil)
        let cancellation = ReplyToken(rawValue: host.lastReply)
        host.commits = .written
        host.stop()
        #expect(host.answers[cancellation] == .cancelled(1))
    }

    @Test func `an interrupted task whose deadline has passed lapses instead of running again`() {
        host.submit(.clean, until: .minutes(1))
        host.enter()
        host.advance(by: .minutes(2))
        host.crash()
        #expect(host.outcomes(of: .clean) == [.crashed])
        #expect(host.pending.isEmpty && host.entries(.lapsed).count == 1)
        host.advance(by: .hours(1))
        #expect(host.batches.count == 1)
    }

    @Test func `a request whose lapse could not be recorded waits for its deadline at once when the clock is set back`()
    {
        host.change(power: false)
        host.submit(.clean, until: .minutes(1), needsPower: true)
        host.commits = .failing
        host.advance(by: .minutes(1))
        #expect(host.reasons(.clean).contains(.beingRecorded))
        host.stepWallClock(by: .hours(-1))
        #expect(host.reasons(.clean) == [.externalPower])
    }

    @Test func `a running task that a lapsed request superseded does not run again after an interruption`() throws {
        host.submit(.clean)
        host.enter()
        host.change(network: false)
        let newer = try #require(host.submit(.clean, until: .minutes(1), needsNetwork: true)?.submission)
        host.advance(by: .minutes(1))
        #expect(host.entries(.lapsed).map(\.submission) == [newer])
        host.crash()
        #expect(host.outcomes(of: .clean) == [.crashed] && host.pending.isEmpty)
        #expect(host.entries(.superseded).map(\.successor) == [newer])
    }

    @Test func `a deadline survives a restart of the host`() {
        host.change(power: false)
        host.submit(.clean, until: .minutes(5), needsPower: true)
        host.restart()
        host.advance(by: .minutes(4))
        #expect(host.pending == [.clean])
        host.advance(by: .minutes(1))
        #expect(host.pending.isEmpty && host.entries(.lapsed).count == 1)
    }

    @Test func `a request whose deadline passes in a downtime never starts, and lapses after the clock doubt`() {
        host.change(power: false)
        host.submit(.clean, until: .minutes(5), needsPower: true)
        host.conditions.isOnExternalPower = true
        host.restart(after: .minutes(10))
        #expect(host.pending == [.clean] && host.reasons(.clean).map(\.kind) == [.deadlinePassed])
        host.advance(by: host.configuration.clockDoubt)
        #expect(host.batches.isEmpty && host.pending.isEmpty && host.entries(.lapsed).count == 1)
    }

    @Test func `a request runs if the clock steps over its deadline by mistake and is set back`() {
        host.change(power: false)
        host.submit(.clean, until: .hours(1), needsPower: true)
        host.stepWallClock(by: .days(400))
        host.change(power: true)
        #expect(host.pending == [.clean] && host.batches.isEmpty)
        host.advance(by: .minutes(1))
        host.stepWallClock(by: .days(-400))
        #expect(host.batches == [[.clean]] && host.entries(.lapsed).isEmpty)
    }

    @Test func `a request whose deadline the clock steps over lapses after the clock doubt`() {
        host.change(power: false)
        host.submit(.clean, until: .hours(1), needsPower: true)
        host.stepWallClock(by: .hours(2))
        host.advance(by: host.configuration.clockDoubt - .nanoseconds(1))
        #expect(host.pending == [.clean])
        host.advance(by: .nanoseconds(1))
        #expect(host.pending.isEmpty && host.entries(.lapsed).count == 1)
    }

    @Test func `a request whose deadline passes soon after a step of the clock lapses exactly then`() {
        host.change(power: false)
        host.stepWallClock(by: .hours(2))
        host.submit(.clean, until: .minutes(1), needsPower: true)
        host.advance(by: .minutes(1))
        #expect(host.pending.isEmpty && host.entries(.lapsed).count == 1)
    }

    @Test func `an overdue request can be cancelled during the clock doubt, and blocks no other request`() {
        host.change(power: false)
        host.submit(.clean, until: .hours(1), needsPower: true)
        host.submit(.vacuum, needsPower: true)
        host.stepWallClock(by: .hours(2))
        host.change(power: true)
        #expect(host.batches == [[.vacuum]])
        #expect(host.cancel(.clean) == .cancelled(1))
        host.advance(by: .hours(1))
        #expect(host.entries(.lapsed).isEmpty)
    }

    @Test func `a user's run of a request whose deadline has passed is refused`() throws {
        host.change(power: false)
        host.submit(.clean, until: .minutes(1), needsPower: true)
        // The timer has not fired.
        host.clock.advance(by: .minutes(1))
        guard case .notLaunching(let message)? = host.requestRun(of: .clean) else {
            Issue.record("the run is not refused")
            return
        }
        #expect(message.contains("the deadline of the request has passed"))
        #expect(host.entries(.launchRequested).isEmpty)
    }

    @Test func `a request of a removed plugin lapses at its deadline`() {
        host.submit(.clean, after: .hours(1), until: .hours(2))
        host.remove(.app)
        host.advance(by: .hours(2))
        #expect(host.pending.isEmpty && host.entries(.lapsed).count == 1)
    }

    @Test func `the deadline of a replaced request does not apply to the newer request`() {
        host.submit(.clean, after: .hours(1), until: .hours(2))
        host.submit(.clean, after: .hours(3))
        host.advance(by: .hours(3))
        #expect(host.entries(.lapsed).isEmpty && host.batches == [[.clean]])
    }

    @Test func `a continued request has a deadline too`() throws {
        let host = SchedulerDriver(.studio()) { $0.continuedLaunches = 1 }
        host.submitContinued(.album(1))
        host.enter()
        let request = TaskRequest(
            identifier: .album(2),
            kind: .continued,
            expiresAt: host.clock.now.wall + .seconds(20),
            continued: ContinuedTerms(title: "Export")
        )
        _ = host.ask { .submitted(Submission(request: request, submitter: .user), reply: $0) }
        host.advance(by: .seconds(20))
        #expect(host.pending.isEmpty && host.entries(.lapsed).count == 1)
    }

    @Test func `a submission with a deadline in the past is refused and replaces nothing`() throws {
        host.submit(.clean, after: .hours(1))
        let refusal = try #require(host.submit(.clean, until: .seconds(-1))?.refusal)
        #expect(refusal.code == .notPermitted && refusal.subReason == .deadlinePassed)
        #expect(host.request(.clean)?.request.expiresAt == nil)
    }

    @Test func `a submission whose deadline is not later than its earliest begin is refused`() throws {
        let refusal = try #require(host.submit(.clean, after: .hours(1), until: .hours(1))?.refusal)
        #expect(refusal.subReason == .deadlinePassed)
        #expect(
            refusal.message == """
                expires_at of com.example.app.clean is not later than earliest_begin, so the request could never \
                start; submit it with a later expires_at, or without one
                """
        )
    }

    @Test func `a step back of the clock keeps a request until its deadline on the new clock`() {
        host.change(power: false)
        host.submit(.clean, until: .minutes(5), needsPower: true)
        host.clock.stepWall(by: .hours(-1))
        host.advance(by: .minutes(10))
        #expect(host.pending == [.clean])
        host.advance(by: .minutes(55))
        #expect(host.pending.isEmpty && host.entries(.lapsed).count == 1)
    }
}
