// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A repetition of an accepted push with an identifier gets the first answer, and is no new push", .proves("C21"))
struct RepeatedPushTests {
    private let host = SchedulerDriver(.pushed())

    /// Sends a push with the identity `number` of a sender: by default, of the first sender of a user.
    @discardableResult
    private func push(
        _ number: Int,
        until deadline: Duration? = nil,
        from sender: UInt8 = 0,
        of user: UInt32 = 1_000
    ) -> Answer? {
        let push = Push(
            to: .app,
            expiresAt: deadline.map { host.clock.now.wall + $0 },
            identity: Self.identity(number, of: Self.sender(sender, of: user))
        )
        return host.ask { .pushed(push, reply: $0) }
    }

    /// Sends an alert with the identity `number` of the first sender.
    private func sendAlert(_ number: Int) {
        let sender = Self.sender(0, of: 1_000)
        let content = NotificationContent(title: "Alert")
        let alert = Alert(to: .app, from: sender, content: content, identity: Self.identity(number, of: sender))
        _ = host.ask { .alerted(alert, reply: $0) }
    }

    private static func sender(_ name: UInt8, of user: UInt32) -> PushSender {
        PushSender(user: user, name: Array(repeating: name, count: PushSender.digestSize))
    }

    private static func identity(_ number: Int, of sender: PushSender) -> PushIdentity? {
        let digest = withUnsafeBytes(of: number.bigEndian) { [UInt8](repeating: 0, count: 12) + $0 }
        return PushIdentity(sender: sender, digest: digest)
    }

    @Test func `a repetition gets the first answer, also after the delivery`() throws {
        let first = try #require(push(1, until: .hours(1)))
        #expect(push(1, until: .hours(2)) == first)
        host.runToTheEnd()
        #expect(push(1) == first)
        #expect(host.batches == [[.appPush]] && host.entries(.submitted).count == 1)
    }

    @Test func `a repetition of a replaced push replaces nothing`() throws {
        host.change(memoryLow: true)
        let first = try #require(push(1))
        let second = try #require(push(2))
        #expect(push(1) == first && push(2) == second && first != second)
        #expect(host.request(.appPush)?.number == second.submission)
    }

    @Test func `a repetition of a lapsed push has lapsed`() throws {
        let first = try #require(push(1, until: .seconds(-1)))
        #expect(first.pushResult == .lapsed)
        #expect(push(1) == first && host.batches.isEmpty)
    }

    @Test func `a repetition after ten minutes, and a push without an identifier, are new pushes`() throws {
        host.change(memoryLow: true)
        let first = try #require(push(1)?.submission)
        host.advance(by: .minutes(10))
        #expect(push(1)?.submission == first)
        host.advance(by: .seconds(1))
        let later = try #require(push(1)?.submission)
        #expect(later > first)
        #expect(try #require(host.push()?.submission) > later)
        #expect(host.ledger.pushAnswers[.app]?.map(\.number) == [later])
    }

    @Test func `a repetition after a kill of the host gets the first answer`() throws {
        host.change(memoryLow: true)
        let first = try #require(push(1))
        let second = try #require(push(2))
        host.restart(after: .minutes(5))
        #expect(push(1) == first && push(2) == second)
        host.restart(after: .minutes(6))
        let later = try #require(push(1)?.submission)
        #expect(later != first.submission)
    }

    @Test func `repetitions during the commit of a push, or behind another commit, wait for its answer`() {
        host.change(memoryLow: true)
        host.commits = .held
        for number in [0, 1, 2, 1, 0] { push(number) }
        let replies = (0..<5).map { ReplyToken(rawValue: host.lastReply - 4 + $0) }
        host.writeHeldCommits()
        let answers = replies.map { host.answers[$0] }
        #expect(answers[0] == answers[4] && answers[1] == answers[3] && answers.allSatisfy { $0 != nil })
        #expect(host.entries(.submitted).compactMap(\.count) == [1, 2])
    }

    @Test func `a repetition of a push whose commit failed is a new attempt`() throws {
        host.commits = .failing
        #expect(push(1)?.refusal?.subReason == .notRecorded)
        host.commits = .written
        #expect(push(1)?.pushResult == .stored(replacing: nil))
    }

    @Test func `a repetition to a plugin that accepts no more pushes gets the first answer`() throws {
        host.change(memoryLow: true)
        let first = try #require(push(1))
        host.install(.app(version: "2.0"))
        #expect(push(1) == first)
        #expect(push(2)?.refusal?.subReason == .remoteNotificationModeMissing)
    }

    @Test func `the host keeps the answers to the newest thousand pushes of a plugin`() throws {
        host.change(memoryLow: true)
        let first = try #require(push(0)?.submission)
        for number in 1...1_000 { push(number) }
        let kept = try #require(host.ledger.pushAnswers[.app])
        #expect(kept.count == 1_000 && kept.first?.number.rawValue == first.rawValue + 1)
        let second = try #require(push(1)?.submission)
        #expect(second.rawValue == first.rawValue + 1)
        #expect(try #require(push(0)?.submission) > second)
    }

    @Test func `pushes of another sender or user do not displace the answers of a sender that has fewer`() throws {
        host.change(memoryLow: true)
        let own = (0..<300).map { push($0)?.submission }
        let foreign = (0..<200).map { push($0, from: 1)?.submission }
        for number in 0..<1_500 { push(number, from: 2, of: 2_000) }
        #expect((0..<300).map { push($0)?.submission } == own)
        #expect((0..<200).map { push($0, from: 1)?.submission } == foreign)
        let kept = try #require(host.ledger.pushAnswers[.app])
        #expect(Dictionary(grouping: kept, by: \.identity.sender.user).mapValues(\.count) == [1_000: 500, 2_000: 500])
        host.restart()
        #expect((0..<300).map { push($0)?.submission } == own)
    }

    @Test func `a user with many senders displaces its own answers before those of another user`() {
        host.change(memoryLow: true)
        let own = (0..<400).map { push($0)?.submission }
        for number in 0..<1_200 { push(number, from: UInt8(number % 250), of: 2_000) }
        #expect((0..<400).map { push($0)?.submission } == own)
    }

    @Test func `of the senders of one user, the one with the most answers loses its oldest`() {
        host.change(memoryLow: true)
        let own = (0..<100).map { push($0)?.submission }
        let first = push(0, from: 1)?.submission
        for number in 1..<1_000 { push(number, from: 1) }
        #expect((0..<100).map { push($0)?.submission } == own)
        #expect(push(0, from: 1)?.submission != first)
    }

    @Test func `the senders of a user beyond the sixty-fourth one share one count of answers`() {
        host.change(memoryLow: true)
        let own = (0..<10).map { push($0)?.submission }
        for sender in 1..<64 as Range<UInt8> { push(0, from: sender) }
        // These are 955 pushes, five of each sender: the limit takes the oldest ones of them.
        for number in 0..<5 { for sender in 64..<255 as Range<UInt8> { push(number, from: sender) } }
        #expect((0..<10).map { push($0)?.submission } == own)
        let kept = host.ledger.pushAnswers[.app] ?? []
        #expect(kept.count == 1_000 && kept.count(where: { $0.identity.sender.name.first ?? 0 < 64 }) == 73)
    }

    @Test func `answers of several senders end in the order of their pushes`() {
        host.change(memoryLow: true)
        push(0, from: 1)
        host.advance(by: .minutes(5))
        let kept = push(0, from: 2)?.submission
        host.advance(by: .minutes(5) + .seconds(1))
        let later = push(0, from: 1)?.submission
        #expect(push(0, from: 2)?.submission == kept && kept != later)
        #expect(host.ledger.pushAnswers[.app]?.map(\.number) == [kept, later].compactMap(\.self))
    }

    @Test func `answers that were dropped during a failing commit are deleted with the next push`() {
        host.change(memoryLow: true)
        // The answer of this sender stays the oldest one, so that the others are deleted by their numbers.
        push(0, from: 1)
        for number in 0..<999 { push(number) }
        host.commits = .failing
        push(999)
        host.commits = .written
        push(1_000)
        #expect(host.ledger.pushAnswers[.app]?.count == 1_000)
    }

    @Test func `answers that were dropped while alerts were in flight are deleted with the next push`() {
        host.change(memoryLow: true)
        push(0, from: 1)
        for number in 0..<999 { push(number) }
        host.commits = .held
        for number in 1_000..<1_003 { sendAlert(number) }
        host.writeHeldCommits()
        push(1_003)
        #expect(host.ledger.pushAnswers[.app]?.count == 1_000)
    }

    @Test func `a step of the clock by more than ten minutes ends all answers`() throws {
        host.change(memoryLow: true)
        let first = try #require(push(1)?.submission)
        host.stepWallClock(by: .minutes(-11))
        #expect(try #require(push(1)?.submission) > first)
    }
}
