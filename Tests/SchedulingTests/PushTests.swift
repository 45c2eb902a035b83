// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

extension PluginEntry {
    /// The sample plugin with the background mode for pushes.
    fileprivate static func pushed(version: String = "1.0") -> PluginEntry {
        .app(version: version, modes: [.fetch, .processing, .remoteNotification])
    }
}

@Suite("A push waits like a request, one for each plugin, and is delivered as an event", .proves(85, "C21"))
struct PushTests {
    let host = SchedulerDriver(.pushed(), .mail())

    private func paced() -> SchedulerDriver {
        SchedulerDriver(.pushed()) { $0.policies.kindSpacing = PolicyConfiguration().kindSpacing }
    }

    @Test func `a push launches its plugin in the background lane with the budget of pushes`() throws {
        let answer = host.push(payload: [1, 2])
        let plan = try #require(host.lastPlan)
        #expect(plan.lane == .background && plan.cause == .due && plan.budget.total == .seconds(30))
        #expect(plan.tasks.map(\.work.kind) == [.push])
        #expect(answer?.pushResult == .stored(replacing: nil))
    }

    @Test func `a push is answered after its commit, with its payload stored`() throws {
        host.commits = .held
        #expect(host.push(payload: [7]) == nil)
        host.writeNextCommit()
        let number = try #require(host.lastAnswer?.submission)
        #expect(host.ledger.payload(of: number) == [7])
    }

    @Test(arguments: [
        (CompletionOutcome.success, TaskOutcome.succeeded), (.noData, .noData), (.failure, .failed),
    ])
    func `a delivered push ends with the plugin's result`(reported: CompletionOutcome, outcome: TaskOutcome) {
        host.push()
        host.enter(registering: [])
        host.complete(.appPush, as: reported)
        #expect(host.outcomes(of: .appPush) == [outcome])
    }

    @Test func `a push to a plugin without a receiver ends as not registered, blamed on the plugin`() throws {
        host.push()
        host.enter(registering: [], receives: false)
        #expect(host.outcomes(of: .appPush) == [.notRegistered])
        #expect(try #require(host.lastEntry(of: .appPush)).blame == .plugin)
    }

    @Test func `the newest push replaces the waiting one, and the journal counts it`() throws {
        host.change(memoryLow: true)
        let first = try #require(host.push()?.submission)
        let answer = host.push()
        #expect(answer?.pushResult == .stored(replacing: first))
        #expect(host.pending == [.appPush])
        let entry = try #require(host.entries(.replaced).first)
        #expect(entry.submission == first && entry.successor == answer?.submission && entry.count == 1)
    }

    @Test func `pushes that arrive during a commit are accepted together, and only the newest is stored`() throws {
        host.change(memoryLow: true)
        host.commits = .held
        for _ in 1...4 { host.push() }
        let replies = (0..<4).map { ReplyToken(rawValue: host.lastReply - 3 + $0) }
        host.writeNextCommit()
        #expect(host.answers[replies[0]]?.pushResult == .stored(replacing: nil))
        #expect(host.answers[replies[1]] == nil)
        host.writeHeldCommits()
        let first = try #require(host.answers[replies[0]]?.submission)
        let last = try #require(host.answers[replies[3]]?.submission)
        #expect(host.answers[replies[1]]?.pushResult == .replaced(by: last))
        #expect(host.answers[replies[2]]?.pushResult == .replaced(by: last))
        #expect(host.answers[replies[3]]?.pushResult == .stored(replacing: first))
        #expect(host.entries(.submitted).compactMap(\.count) == [1, 3])
        #expect(host.entries(.replaced).compactMap(\.count) == [3])
    }

    private func count(_ event: JournalEntry.Event) -> Int { host.entries(event).compactMap(\.count).reduce(0, +) }

    @Test func `a steady sender causes a bounded number of journal entries, whose counts add up`() throws {
        host.change(memoryLow: true)
        for _ in 1...100 { host.push() }
        #expect(host.entries(.submitted).count == 10 && host.entries(.replaced).count == 9)
        #expect(host.ledger.pushSums[.app]?.map(\.accepted) == [90])
        host.advance(by: .minutes(1))
        #expect(host.entries(.submitted).count == 11 && host.entries(.replaced).count == 10)
        #expect(count(.submitted) == 100 && count(.replaced) == 99 && host.ledger.pushSums.isEmpty)
        let newest = try #require(host.request(.appPush)?.number)
        #expect(host.entries(.submitted).last?.submission == newest)
        for _ in 1...5 { host.push() }
        #expect(host.entries(.submitted).count == 16)
    }

    @Test func `counted pushes have the users that sent them`() throws {
        host.change(memoryLow: true)
        let users = [1_000, 2_000].map { CallingUser(uid: $0, pid: 1, command: "bgtask") }
        for number in 1...30 {
            host.caller = users[number % 2]
            host.push(until: number > 28 ? .seconds(-1) : nil)
        }
        host.caller = nil
        host.advance(by: .minutes(1))
        let sums = host.entries(.submitted).suffix(2)
        #expect(sums.map(\.user) == users && sums.map(\.count) == [10, 10])
        #expect(host.entries(.lapsed).map(\.count) == [1, 1] && count(.replaced) == 27)
    }

    @Test func `pushes that were counted before a kill of the host get their entries after the restart`() throws {
        host.change(memoryLow: true)
        for _ in 1...30 { host.push() }
        host.restart()
        host.advance(by: .seconds(1))
        #expect(count(.submitted) == 30 && count(.replaced) == 29 && host.ledger.pushSums.isEmpty)
        let last = try #require(host.request(.appPush)?.number)
        #expect(try #require(host.push()?.submission) > last)
    }

    @Test func `counted pushes whose entries cannot be recorded get them later, once`() {
        host.change(memoryLow: true)
        for _ in 1...30 { host.push() }
        host.commits = .failing
        host.advance(by: .minutes(1))
        host.push()
        host.commits = .written
        host.advance(by: .minutes(1))
        #expect(count(.submitted) == 30 && count(.replaced) == 29 && host.ledger.pushSums.isEmpty)
    }

    @Test func `entries about pushes that are accepted together have the users of these pushes`() throws {
        host.change(memoryLow: true)
        host.commits = .held
        host.push()
        let users = [1_000, 2_000].map { CallingUser(uid: $0, pid: 1, command: "bgtask") }
        for (user, deadline) in [(users[0], nil), (users[1], nil), (users[0], Duration.seconds(-1)), (users[1], nil)] {
            host.caller = user
            host.push(until: deadline)
        }
        host.caller = nil
        host.writeHeldCommits()
        let accepted = host.entries(.submitted).dropFirst()
        #expect(accepted.map(\.user) == users)
        #expect(accepted.map(\.count) == [2, 2])
        let first = try #require(host.entries(.submitted).first?.submission).rawValue
        let numbers = [(first + 1, first + 3), (first + 2, first + 4)]
        #expect(accepted.map(\.message) == numbers.map { "2 pushes, from \($0) to \($1), accepted" })
        #expect(host.entries(.lapsed).map(\.user) == [users[0]])
        #expect(host.entries(.replaced).map(\.user) == [users[1]])
    }

    @Test func `pushes that lapse together have one entry with their count for each user and cause`() throws {
        host.change(memoryLow: true)
        host.commits = .held
        host.push()
        let users = [1_000, 2_000].map { CallingUser(uid: $0, pid: 1, command: "bgtask") }
        for number in 0..<40 {
            host.caller = users[number % 2]
            host.push(until: number < 20 ? .seconds(-1) : nil, isOnlyNow: number >= 20)
        }
        host.caller = nil
        host.writeHeldCommits()
        let lapses = host.entries(.lapsed)
        #expect(lapses.map(\.count) == [10, 10, 10, 10])
        #expect(lapses.map(\.user) == [users[0], users[0], users[1], users[1]])
        let first = try #require(host.entries(.submitted).first?.submission).rawValue
        #expect(lapses.first?.message.hasPrefix("10 pushes, from \(first + 1) to \(first + 19), lapsed: ") == true)
    }

    @Test func `a sender without pauses does not delay the delivery`() {
        host.commits = .held
        host.push()
        var delivered = 0
        for _ in 1...50 {
            host.push()
            if host.heldCommits.isEmpty { break }
            host.writeNextCommit()
            delivered = host.plans.count
            if delivered > 0 { break }
        }
        #expect(delivered == 1)
    }

    @Test func `the spacing of pushes delays the next one by twenty minutes from the end of the last launch`() throws {
        let host = paced()
        host.push()
        host.runToTheEnd()
        let end = host.clock.now.wall
        host.push()
        #expect(host.reasons(.appPush) == [.kindSpacing(until: end + .minutes(20), .push, .minutes(20))])
        host.advance(by: .minutes(20))
        #expect(host.batches == [[.appPush], [.appPush]])
    }

    @Test func `launches that use their whole budget do not lengthen the spacing of pushes`() throws {
        let host = paced()
        for _ in 1...3 {
            host.push()
            host.enter(registering: [])
            host.advance(by: .seconds(31))
            host.complete(.appPush)
            host.push()
            let codes = host.reasons(.appPush).compactMap { reason in
                if case .kindSpacing(_, .push, let spacing) = reason { spacing } else { nil }
            }
            #expect(codes == [.minutes(20)])
            host.cancelAll()
            host.advance(by: .hours(1))
        }
    }

    @Test func `the spacing of pushes survives a restart of the host`() {
        let host = paced()
        host.push()
        host.runToTheEnd()
        host.restart(after: .minutes(1))
        host.push()
        #expect(host.reasons(.appPush).map(\.kind).contains(.kindSpacing))
    }

    @Test func `a user's run of a waiting push overrides its spacing`() {
        let host = paced()
        host.push()
        host.runToTheEnd()
        host.advance(by: .minutes(1))
        host.push()
        host.requestRun(of: .appPush)
        #expect(host.batches.count == 2)
    }

    @Test func `a push whose deadline passes while it waits lapses`() {
        let host = paced()
        host.push()
        host.runToTheEnd()
        host.push(until: .minutes(10))
        host.advance(by: .minutes(10))
        #expect(host.pending.isEmpty && host.entries(.lapsed).count == 1)
    }

    @Test func `a push whose deadline has passed lapses and leaves the waiting push`() throws {
        host.change(memoryLow: true)
        let waiting = try #require(host.push()?.submission)
        #expect(host.push(until: .seconds(-1))?.pushResult == .lapsed)
        #expect(host.request(.appPush)?.number == waiting)
        #expect(host.entries(.lapsed).count == 1 && host.entries(.replaced).isEmpty)
    }

    @Test func `a push of low priority waits for external power`() {
        host.change(power: false)
        host.push(isLowPriority: true)
        #expect(host.reasons(.appPush) == [.externalPower])
        host.change(power: true)
        #expect(host.batches == [[.appPush]])
    }

    @Test func `a push waits while background refresh is off`() {
        let host = SchedulerDriver(.pushed()) { $0.isBackgroundRefreshOn = false }
        #expect(host.push()?.pushResult == .stored(replacing: nil))
        #expect(host.reasons(.appPush) == [.backgroundRefreshOff(nil)])
    }

    @Test func `an interrupted push is delivered again without the spacing`() {
        let host = paced()
        host.push()
        host.enter(registering: [])
        host.crash()
        host.advance(by: .seconds(30))
        #expect(host.batches == [[.appPush], [.appPush]])
    }

    @Test func `pushes that replace an interrupted one inherit its attempts, its delay and its end of the spacing`() {
        let host = paced()
        host.push()
        for delay in [Duration.seconds(10), .seconds(20)] {
            host.enter(registering: [])
            host.crash()
            host.push()
            let kinds = host.reasons(.appPush).map(\.kind)
            #expect(kinds.contains(.retryDelay) && !kinds.contains(.kindSpacing))
            host.advance(by: delay)
        }
        #expect(host.batches.count == 3 && host.lastPlan?.tasks.first?.work.retry.attempts == 2)
        host.enter(registering: [])
        host.crash()
        #expect(host.outcomes(of: .appPush) == [.crashed, .crashed, .abandoned] && host.pending.isEmpty)
    }

    @Test func `a push after an abandoned one begins with the first attempt, after the spacing`() throws {
        let host = paced()
        host.push()
        for delay in [Duration.seconds(10), .seconds(20), .zero] {
            host.enter(registering: [])
            host.crash()
            host.advance(by: delay)
        }
        #expect(host.pending.isEmpty)
        host.push()
        #expect(host.request(.appPush)?.retry == Retry())
        #expect(host.reasons(.appPush).map(\.kind) == [.kindSpacing])
    }

    @Test func `a plugin that cancels all its requests does not cancel its push`() {
        host.submit(.clean, after: .hours(1))
        host.change(memoryLow: true)
        host.push()
        let launch = LaunchNumber(rawValue: 99)
        _ = host.ask { .cancelAllRequested(of: .app, from: launch, reply: $0) }
        #expect(host.pending == [.appPush])
        host.cancelAll()
        #expect(host.pending.isEmpty)
    }

    @Test func `a waiting push does not keep the event started from a plugin`() {
        host.change(memoryLow: true)
        host.push()
        host.restart()
        #expect(host.ledger.events.map(\.type) == [.started] || host.plans.contains { $0.lane == .event })
    }

    // MARK: Refusals

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

    @Test func `the waiting push of a plugin without the mode waits for the mode`() {
        host.change(memoryLow: true)
        host.push()
        host.install(.app(version: "2.0"))
        host.change(memoryLow: false)
        #expect(host.reasons(.appPush) == [.modeMissing(.remoteNotification)])
    }
}
