// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

extension PluginEntry {
    /// The sample extension as a notification service extension.
    fileprivate static func service() -> PluginEntry {
        let entry = keyboard()
        return PluginEntry(
            identifier: entry.identifier,
            name: entry.name,
            version: entry.version,
            role: entry.role,
            containingPlugin: entry.containingPlugin,
            extensionPoint: .notificationService,
            permitted: [],
            modes: [],
            library: entry.library,
            manifestPath: entry.manifestPath,
            manifestDigest: entry.manifestDigest
        )
    }
}

@Suite("An alert is shown once, changed by its extension or with the original content", .proves(86))
struct AlertTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .service(), .mail())
    private let topic = NotificationTopic("mail")

    @discardableResult
    private func alert(
        _ title: String = "Original",
        to plugin: PluginIdentifier = .app,
        topic: NotificationTopic? = nil,
        isMutable: Bool = true,
        identity: PushIdentity? = nil,
        from sender: PushSender = PushSender(user: 1_000, name: [1])
    ) -> Answer? {
        let content = NotificationContent(title: title)
        let alert = Alert(
            to: plugin,
            from: sender,
            topic: topic,
            content: content,
            payload: [1, 2],
            isMutable: isMutable,
            identity: identity
        )
        return host.ask { .alerted(alert, reply: $0) }
    }

    private var shown: [String] { host.ledger.shown.map(\.content.title) }

    /// Sets the content of the alert of the newest launch.
    private func answer(_ title: String?) {
        guard let plan = host.lastPlan, let task = plan.tasks.first else { return }
        let content = title.map { NotificationContent(title: $0) }
        host.send(.notificationChanged(plan.number, task.id, content))
    }

    private func isShown(_ answer: Answer?) -> Bool? {
        if case .alerted(_, let isShown) = answer { isShown } else { nil }
    }

    // MARK: Without an extension

    @Test func `an alert that no extension may change is shown in the commit of its acceptance`() {
        host.commits = .held
        #expect(alert(isMutable: false) == nil && shown.isEmpty)
        host.writeHeldCommits()
        #expect(isShown(host.lastAnswer) == true && shown == ["Original"] && host.plans.isEmpty)
        #expect(host.entries(.notified).count == 1)
    }

    @Test func `an alert to a plugin without a notification service extension is shown at once`() {
        #expect(isShown(alert(to: .mail)) == true)
        #expect(shown == ["Original"])
    }

    @Test func `an alert whose commit fails is refused, and no notification is shown`() {
        host.commits = .failing
        #expect(alert()?.refusal?.subReason == .notRecorded)
        #expect(alert(isMutable: false)?.refusal?.subReason == .notRecorded)
        host.commits = .written
        host.advance(by: .minutes(2))
        #expect(shown.isEmpty && host.plans.isEmpty)
    }

    // MARK: With an extension

    @Test func `an alert launches the extension alone, for at most 30 seconds, and shows the changed content`() throws {
        #expect(isShown(alert()) == false)
        let plan = try #require(host.lastPlan)
        #expect(plan.plugin == .service() && plan.lane == .event && plan.tasks.map(\.work.label) == ["notification"])
        #expect(try #require(plan.budget.total) <= .seconds(30))
        alert("Second", topic: topic)
        #expect(host.plans.count == 1)
        host.enter()
        answer("Changed")
        #expect(shown.isEmpty)
        host.completeEvent()
        #expect(shown == ["Changed"])
    }

    @Test(arguments: [CompletionOutcome.failure, .noData])
    func `an extension that completes otherwise than as successful shows the original`(outcome: CompletionOutcome) {
        alert()
        host.enter()
        answer("Changed")
        host.completeEvent(as: outcome)
        #expect(shown == ["Original"])
    }

    @Test func `a completion without a valid content shows the original`() {
        alert()
        host.enter()
        answer("Changed")
        answer(nil)
        host.completeEvent()
        #expect(shown == ["Original"])
    }

    @Test func `an extension that crashes shows the original, and is not launched again for the alert`() {
        alert()
        host.enter()
        answer("Changed")
        host.crash()
        host.advance(by: .hours(1))
        #expect(shown == ["Original"] && host.plans.count == 1 && host.pendingEvents.isEmpty)
    }

    @Test func `an extension that sleeps is killed after its budget and the grace period, and the original is shown`()
        throws
    {
        alert()
        host.enter()
        let budget = try #require(host.lastPlan?.budget)
        host.advance(by: try #require(budget.total) + budget.gracePeriod + .seconds(1))
        #expect(shown == ["Original"])
        host.advance(by: .hours(1))
        #expect(shown == ["Original"] && host.plans.count == 1)
    }

    @Test func `a completion within the grace period still shows the changed content`() throws {
        alert()
        host.enter()
        host.advance(by: try #require(host.lastPlan?.budget.total))
        answer("Late")
        host.completeEvent()
        #expect(shown == ["Late"])
    }

    @Test func `an extension that is not launched within 30 seconds misses its alert`() {
        host.runners = .held
        alert()
        host.advance(by: .seconds(29))
        #expect(shown.isEmpty)
        host.advance(by: .seconds(1))
        #expect(shown == ["Original"] && host.pendingEvents.isEmpty)
        host.bringRunners()
        #expect(host.plans.isEmpty)
    }

    @Test func `an extension whose launch cannot be recorded misses its alert after 30 seconds`() {
        host.commits = .held
        alert()
        host.writeNextCommit()
        while !host.heldCommits.isEmpty { host.failNextCommit() }
        host.commits = .failing
        host.advance(by: .seconds(40))
        #expect(shown.isEmpty)
        host.commits = .written
        host.advance(by: .minutes(10))
        #expect(shown == ["Original"])
    }

    // MARK: Order

    @Test func `later alerts of a topic wait for the earlier one, and others do not`() {
        alert("First", topic: topic)
        #expect(isShown(alert("Second", topic: topic, isMutable: false)) == false)
        #expect(isShown(alert("Other", isMutable: false)) == true)
        #expect(shown == ["Other"])
        host.enter()
        answer("First, changed")
        host.completeEvent()
        #expect(shown == ["Other", "First, changed", "Second"])
    }

    @Test func `alerts of a topic keep their order when all miss their extension`() {
        host.runners = .held
        for number in 1...3 {
            alert("\(number)", topic: topic)
            host.advance(by: .seconds(5))
        }
        alert("4", topic: topic, isMutable: false)
        host.advance(by: .minutes(2))
        #expect(shown == ["1", "2", "3", "4"])
    }

    @Test func `a later alert waits until the end of the earlier one is on disk`() {
        alert("First", topic: topic)
        alert("Second", topic: topic, isMutable: false)
        host.enter()
        host.commits = .failing
        host.completeEvent()
        #expect(shown.isEmpty)
        host.commits = .written
        host.advance(by: .minutes(10))
        #expect(shown == ["First", "Second"])
    }

    // MARK: Repetitions

    @Test(arguments: [true, false])
    func `a repeated alert gets the answer of the first one, also after a restart, and is shown once`(isMutable: Bool) {
        let identity = PushIdentity(bytes: Array(repeating: 7, count: PushIdentity.size))
        let first = alert(isMutable: isMutable, identity: identity)
        #expect(alert(isMutable: isMutable, identity: identity) == first && first != nil)
        host.restart()
        #expect(alert(isMutable: isMutable, identity: identity) == first)
        #expect(shown == ["Original"])
        host.advance(by: .minutes(11))
        #expect(alert(isMutable: false, identity: identity) != first && shown.count == 2)
    }

    @Test func `an alert that is repeated during its commit is accepted once, and both calls are answered`() {
        let identity = PushIdentity(bytes: Array(repeating: 7, count: PushIdentity.size))
        host.commits = .held
        alert(isMutable: false, identity: identity)
        alert(isMutable: false, identity: identity)
        host.writeHeldCommits()
        let replies = [host.lastReply - 1, host.lastReply].map(ReplyToken.init(rawValue:))
        #expect(host.answers[replies[0]] != nil && host.answers[replies[0]] == host.answers[replies[1]])
        #expect(shown == ["Original"])
    }

    @Test func `alerts that are committed together both have an answer for their repetitions after a restart`() {
        let identities = [7, 8].map { PushIdentity(bytes: Array(repeating: $0, count: PushIdentity.size)) }
        host.commits = .held
        for identity in identities { alert(isMutable: false, identity: identity) }
        host.writeHeldCommits()
        let first = [host.lastReply - 1, host.lastReply].map { host.answers[ReplyToken(rawValue: $0)] }
        host.restart()
        #expect(identities.map { alert(isMutable: false, identity: $0) } == first)
        #expect(shown.count == 2)
    }

    @Test func `alerts with one identity to two plugins are both accepted, also while the first one is committed`() {
        let identity = PushIdentity(bytes: Array(repeating: 7, count: PushIdentity.size))
        host.commits = .held
        alert("To app", isMutable: false, identity: identity)
        alert("To mail", to: .mail, isMutable: false, identity: identity)
        host.writeHeldCommits()
        #expect(shown == ["To app", "To mail"])
    }

    // MARK: The host

    @Test func `alerts that wait or run when the host is killed are shown with the original after the restart, once`() {
        alert("Running", topic: topic)
        host.enter()
        answer("Changed")
        alert("Waiting", topic: topic)
        host.restart()
        host.advance(by: .hours(1))
        #expect(shown == ["Running", "Waiting"])
        #expect(!host.pendingEvents.contains(.notification))
    }

    @Test func `a removed extension does not keep its alerts from being shown`() {
        host.runners = .held
        alert()
        host.remove(.keyboard)
        host.advance(by: .seconds(31))
        #expect(shown == ["Original"])
    }

    @Test func `a notification service extension is not triggered`() {
        #expect(host.trigger()?.refusal?.code == .notPermitted)
    }

    // MARK: Rate

    /// Sends alerts of a sender until one is refused. Returns the number of accepted ones.
    @discardableResult
    private func flood(_ name: UInt8, of user: UInt32 = 1_000) -> Int {
        let sender = PushSender(user: user, name: [name])
        return (1...200).first { _ in isShown(alert(isMutable: false, from: sender)) == nil }.map { $0 - 1 } ?? 200
    }

    @Test func `a sender gets a burst of alerts, then one in each interval, and the refusal names the wait`() {
        #expect(flood(1) == 50)
        let refusal = alert(isMutable: false)?.refusal
        #expect(refusal?.code == .tooManyPendingTaskRequests && refusal?.subReason == .alertLimit)
        #expect(refusal?.message.contains("send the push again in 1s") == true)
        host.advance(by: .milliseconds(999))
        #expect(alert(isMutable: false)?.refusal?.subReason == .alertLimit)
        host.advance(by: .milliseconds(1))
        #expect(isShown(alert(isMutable: false)) == true)
        #expect(alert(isMutable: false)?.refusal?.subReason == .alertLimit)
        #expect(shown.count == 51)
    }

    @Test func `a plugin gets a burst of alerts of all senders, and no more`() {
        for user in 1...100 { #expect(flood(1, of: UInt32(user)) > 0 || shown.count == 100) }
        #expect(shown.count == 100)
        #expect(flood(1, of: 200) == 0)
    }

    @Test func `the alerts of a flooding sender delay none of another sender, of the same user or another`() {
        for second in 0..<200 {
            flood(1)
            let other = second % 4 == 0 ? PushSender(user: 1_000, name: [2]) : PushSender(user: 2_000, name: [1])
            if second % 2 == 0 { #expect(isShown(alert(isMutable: false, from: other)) == true) }
            host.advance(by: .seconds(1))
        }
    }

    @Test func `a user with many senders leaves a share of the rate to another user`() {
        let other = PushSender(user: 2_000, name: [1])
        for second in 0..<90 {
            for name in 0..<30 as Range<UInt8> { flood(name) }
            if second % 3 == 0 { #expect(isShown(alert(isMutable: false, from: other)) == true) }
            host.advance(by: .seconds(1))
        }
    }

    @Test func `the rate of alerts of one plugin does not delay those of another one`() {
        flood(1)
        #expect(alert(isMutable: false)?.refusal?.subReason == .alertLimit)
        #expect(isShown(alert(to: .mail, isMutable: false)) == true)
    }

    @Test func `a repetition of an accepted alert is answered without a token`() throws {
        let identity = try #require(PushIdentity(bytes: Array(repeating: 7, count: PushIdentity.size)))
        #expect(isShown(alert(isMutable: false, identity: identity)) == true)
        flood(1)
        host.advance(by: .seconds(1))
        #expect(isShown(alert(isMutable: false, identity: identity)) == true)
        #expect(isShown(alert(isMutable: false)) == true)
        #expect(alert(isMutable: false)?.refusal?.subReason == .alertLimit)
    }

    @Test func `an alert whose commit failed returns its token`() {
        host.commits = .failing
        for _ in 1...60 { #expect(alert(isMutable: false)?.refusal?.subReason == .notRecorded) }
        host.commits = .written
        #expect(flood(1) == 50)
    }

    @Test func `a plugin has at most as many waiting alerts as events`() throws {
        host.runners = .held
        for user in 1...host.configuration.eventLimit { alert(from: PushSender(user: UInt32(user), name: [])) }
        #expect(alert()?.refusal?.subReason == .eventLimit)
    }
}
