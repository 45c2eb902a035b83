// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Alert pushes (statement 86). Without a notification service extension the notification is shown in the commit of the
// acceptance. With one, the alert waits as an event of the extension, and any end of this event shows a notification:
// a changed one after a success, the original otherwise. The answer is sent after the commit.
extension Scheduler {
    /// Maximum time from the acceptance of an alert to the start of its extension.
    static let alertWait: Duration = .seconds(30)
    /// Maximum running time of an extension for one alert.
    private static let longestAlert: Duration = .seconds(30)

    mutating func alert(_ alert: Alert, reply: ReplyToken, at now: Moment) {
        if answers(repetition: alert, reply: reply, at: now) { return }
        if let refusal = refusal(of: alert, at: now) { return emit(.answer(reply, .refused(refusal))) }
        alertRates[alert.plugin, default: AlertRate(at: now.monotonic)].take(for: alert.sender, at: now.monotonic)
        if let identity = alert.identity { repeatedAlerts[alert.plugin, default: [:]][identity] = [] }
        let number = nextSubmission()
        let earlier = alertLines[alert.plugin]?.last(of: alert.topic)
        let service = alert.isMutable ? notificationService(of: alert.plugin) : nil
        guard service != nil || earlier != nil else { return show(alert, number, reply: reply, at: now) }
        // After a change of the extension, an alert that follows one of the old extension is not changed: the queues of
        // two extensions have no common order.
        let isOrdered = earlier.map { $0.service == service } ?? true
        let event =
            isOrdered
            ? service.map { PendingEvent(plugin: $0, number: number, type: .notification, createdAt: now.wall) } : nil
        let pending = PendingAlert(
            number: number,
            plugin: alert.plugin,
            topic: alert.topic,
            original: alert.content,
            acceptedAt: now.wall
        )
        let deadline = now.monotonic + Self.alertWait
        let entry = AlertLine.Entry(number: number, topic: alert.topic, service: event?.plugin, deadline: deadline)
        alertLines[alert.plugin, default: AlertLine()].append(entry)
        if let event { plugins[event.plugin].events.begin(event) }
        let staged = staged(alert, number, reply: reply, event, at: now)
        let stored = event.map { [LedgerChange.storeEvent($0, payload: alert.payload)] } ?? []
        stage(.alert(staged), [.storeAlert(pending)] + stored + staged.kept.changes(of: alert.plugin))
    }

    /// Stages an alert whose notification is shown at once.
    private mutating func show(_ alert: Alert, _ number: SubmissionNumber, reply: ReplyToken, at now: Moment) {
        let notification = ShownNotification(
            at: now.wall,
            plugin: alert.plugin,
            topic: alert.topic,
            submission: number,
            content: alert.content
        )
        let staged = staged(alert, number, reply: reply, isShown: true, at: now)
        let entry = JournalEntry.notified(number, of: alert.plugin, isChanged: false, at: now)
        let changes: [LedgerChange] =
            [.showNotification(notification), .journal(entry)] + staged.kept.changes(of: alert.plugin)
        stage(.alert(staged), changes)
    }

    private mutating func staged(
        _ alert: Alert,
        _ number: SubmissionNumber,
        reply: ReplyToken,
        _ event: PendingEvent? = nil,
        isShown: Bool = false,
        at now: Moment
    ) -> StagedAlert {
        let answered = alert.identity.map { identity in
            AnsweredPush(
                identity: identity,
                number: number,
                result: isShown ? .shown : .stored(replacing: nil),
                expiresAt: nil,
                at: now.wall
            )
        }
        return StagedAlert(
            plugin: alert.plugin,
            sender: alert.sender,
            number: number,
            reply: reply,
            event: event,
            isShown: isShown,
            kept: recorded([answered].compactMap(\.self), of: alert.plugin, at: now)
        )
    }

    // MARK: Repetitions

    /// Answers a repetition of an accepted alert, or joins it with the alert in flight. Returns false for a new alert.
    private mutating func answers(repetition alert: Alert, reply: ReplyToken, at now: Moment) -> Bool {
        guard let identity = alert.identity else { return false }
        if repeatedAlerts[alert.plugin]?[identity] != nil {
            repeatedAlerts[alert.plugin]?[identity]?.append(reply)
            return true
        }
        guard let first = pushAnswers[alert.plugin]?.push(with: identity, at: now.wall) else { return false }
        emit(.answer(reply, .alerted(first.number, isShown: first.result == .shown)))
        return true
    }

    /// Answers the sender of an alert, and the calls that repeat it meanwhile.
    private mutating func answer(_ alert: StagedAlert, _ answer: Answer) {
        let identity = alert.kept.answers.first?.identity
        let repeated = identity.flatMap { repeatedAlerts[alert.plugin]?.removeValue(forKey: $0) } ?? []
        if repeatedAlerts[alert.plugin]?.isEmpty == true { repeatedAlerts[alert.plugin] = nil }
        for reply in [alert.reply] + repeated { emit(.answer(reply, answer)) }
    }

    /// The extension that receives the alerts of a main plugin: of several, the first by identifier. Nil when none is
    /// installed that may run now.
    private func notificationService(of plugin: PluginIdentifier) -> PluginIdentifier? {
        (extensions[plugin] ?? []).sorted().first { name in
            guard plugins.contains(name), let entry = plugins[name].entry else { return false }
            return entry.extensionPoint == .notificationService && configuration.policy(for: name).isEnabled
                && [name, plugin].allSatisfy { pause(of: $0) == nil }
                && configuration.abiMinors.delivers(.notification, to: entry.library)
        }
    }

    // MARK: Settling

    mutating func settle(_ alert: StagedAlert, at now: Moment) {
        answer(alert, .alerted(alert.number, isShown: alert.isShown))
        note(alert.kept, of: alert.plugin, at: now)
        if alert.isShown { return }
        alertLines[alert.plugin]?.set(.waiting, of: alert.number)
        if let event = alert.event {
            plugins[event.plugin].events.end(event)
            insert(event, at: now)
            consider(event.plugin, .event, at: now)
            reevaluate(event.plugin, at: now)
        }
        awaitAlerts(of: alert.plugin)
        showDueAlerts(of: alert.plugin, at: now)
    }

    mutating func rollBack(_ alert: StagedAlert, because message: String, at now: Moment) {
        answer(alert, .refused(.notRecorded("push", because: message)))
        alertRates[alert.plugin]?.giveBack(alert.sender)
        if let event = alert.event {
            plugins[event.plugin].events.end(event)
            reevaluate(event.plugin, at: now)
        }
        if !alert.isShown { shown([alert.number], of: alert.plugin, at: now) }
    }

    /// The plugin to which an alert was pushed; nil for an alert of an earlier host. Its extension may be removed
    /// meanwhile, and no longer name it.
    private func plugin(ofAlert number: SubmissionNumber) -> PluginIdentifier? {
        alertLines.first { $0.value.has(number) }?.key
    }

    /// Handles the end of an alert's task that is on disk, which has shown the notification.
    mutating func alertEnded(_ number: SubmissionNumber, at now: Moment) {
        if let plugin = plugin(ofAlert: number) { shown([number], of: plugin, at: now) }
    }

    /// Removes alerts that have ended from the line, and shows those that had to wait for them.
    mutating func shown(_ numbers: [SubmissionNumber], of plugin: PluginIdentifier, at now: Moment) {
        alertLines[plugin]?.remove(numbers)
        if alertLines[plugin]?.isEmpty == true { alertLines[plugin] = nil }
        showDueAlerts(of: plugin, at: now)
    }

    mutating func notShown(_ numbers: [SubmissionNumber], of plugin: PluginIdentifier, at now: Moment) {
        for number in numbers { alertLines[plugin]?.set(.overdue, of: number) }
        agenda.add(.alerts(plugin), at: now.monotonic + configuration.hostRetryDelay)
    }

    // MARK: Originals

    /// Shows the originals of alerts whose extension has not started in time.
    mutating func showLateAlerts(of plugin: PluginIdentifier, at now: Moment) {
        for entry in alertLines[plugin]?.passDeadlines(at: now.monotonic) ?? [] {
            if let service = entry.service, plugins.contains(service) { remove(event: entry.number, of: service) }
        }
        showDueAlerts(of: plugin, at: now)
        awaitAlerts(of: plugin)
    }

    private mutating func awaitAlerts(of plugin: PluginIdentifier) {
        if let deadline = alertLines[plugin]?.nextDeadline { agenda.add(.alerts(plugin), at: deadline) }
    }

    private mutating func showDueAlerts(of plugin: PluginIdentifier, at now: Moment) {
        guard !isStopping, let due = alertLines[plugin]?.due(), !due.isEmpty else { return }
        for number in due { alertLines[plugin]?.set(.showing, of: number) }
        stage(.alertsShown(plugin, due), due.flatMap { Self.original(of: $0, plugin, at: now) })
    }

    /// Shows the alerts that the last host accepted and did not show, in order, with their original content.
    mutating func showLeftAlerts(_ alerts: [PendingAlert], at now: Moment) {
        if alerts.isEmpty { return }
        keep(alerts.flatMap { Self.original(of: $0.number, $0.plugin, at: now) })
    }

    private static func original(
        of number: SubmissionNumber,
        _ plugin: PluginIdentifier,
        at now: Moment
    ) -> [LedgerChange] {
        let entry = JournalEntry.notified(number, of: plugin, isChanged: false, at: now)
        return [.showAlert(number, nil, at: now.wall), .journal(entry)]
    }

    // MARK: The extension's launch

    /// Records that the batch of a launch with these alerts is closed: they no longer wait for a start.
    mutating func noteStart(ofAlertsIn batch: [PendingWork]) {
        for work in batch where work.isAlert {
            if let plugin = plugin(ofAlert: work.number) { alertLines[plugin]?.set(.running, of: work.number) }
        }
    }

    /// Returns the alerts of a launch that could not be recorded to the waiting ones.
    mutating func noteFailedStart(ofAlertsIn batch: [PendingWork], at now: Moment) {
        for work in batch where work.isAlert {
            guard let plugin = plugin(ofAlert: work.number) else { continue }
            alertLines[plugin]?.set(.waiting, of: work.number)
            awaitAlerts(of: plugin)
        }
    }

    /// The budget of a batch with an alert; nil for another batch.
    static func alertBudget(of batch: [PendingWork], _ budget: Duration?) -> Duration? {
        guard batch.contains(where: \.isAlert) else { return nil }
        return budget.map { min($0, longestAlert) } ?? longestAlert
    }

    /// Sets the content that an extension answers; the last one before the completion counts.
    mutating func setContent(_ content: NotificationContent?, of number: LaunchNumber, _ id: TaskID) {
        guard let execution = launches.listening(number), let index = execution.index(of: id),
            execution.tasks[index].work.isAlert, execution.tasks[index].outcome == nil
        else { return }
        launches.execute(number) { $0.tasks[index].content = content }
    }

    /// The changes that show the notification of an ended task; empty for a task that is no alert.
    func showing(_ task: Execution.Task, endedAs outcome: TaskOutcome, at now: Moment) -> [LedgerChange] {
        guard task.work.isAlert else { return [] }
        let content = outcome == .succeeded ? task.content : nil
        let plugin = plugin(ofAlert: task.work.number) ?? mainPlugin(of: task.work.plugin)
        let entry = JournalEntry.notified(task.work.number, of: plugin, isChanged: content != nil, at: now)
        return [.showAlert(task.work.number, content, at: now.wall), .journal(entry)]
    }

    // MARK: Refusals

    /// The refusal of an alert; nil when it is accepted.
    private func refusal(of alert: Alert, at now: Moment) -> SubmissionRefusal? {
        let plugin = alert.plugin
        if isStopping { return .hostStopping(remedy: "send the push again after the host's restart") }
        guard plugins.contains(plugin), let entry = plugins[plugin].entry else {
            return .pushWithoutPlugin(plugin, problem: plugins.contains(plugin) ? plugins[plugin].refusal : nil)
        }
        if let main = entry.containingPlugin { return .pushToExtension(plugin, of: main) }
        if !configuration.policy(for: plugin).isEnabled { return .pluginDisabled(plugin) }
        return countRefusal(ofAlertTo: plugin) ?? rateRefusal(of: alert, at: now)
    }

    private func countRefusal(ofAlertTo plugin: PluginIdentifier) -> SubmissionRefusal? {
        let count = alertLines[plugin]?.count ?? 0
        if count < configuration.eventLimit { return nil }
        return SubmissionRefusal(
            code: .tooManyPendingTaskRequests,
            subReason: .eventLimit,
            message: "alerts that wait for the notification service extension of \(plugin): \(count), and at most"
                + " \(configuration.eventLimit) may wait; send the push again later, or raise limits.event in the"
                + " host's configuration and run bgtask host reload"
        )
    }

    private func rateRefusal(of alert: Alert, at now: Moment) -> SubmissionRefusal? {
        guard let wait = alertRates[alert.plugin]?.wait(of: alert.sender, at: now.monotonic) else { return nil }
        return SubmissionRefusal(
            code: .tooManyPendingTaskRequests,
            subReason: .alertLimit,
            message: "too many alerts to \(alert.plugin) of one sender, or of all: the host accepts"
                + " \(AlertRate.burst) at once, at most \(AlertRate.burst / 2) of one sender, then one in"
                + " \(AlertRate.interval.humanReadable); send the push again in \(wait.humanReadable)"
        )
    }
}

extension JournalEntry {
    /// The entry about the notification of an alert.
    fileprivate static func notified(
        _ number: SubmissionNumber,
        of plugin: PluginIdentifier,
        isChanged: Bool,
        at now: Moment
    ) -> JournalEntry {
        JournalEntry(
            at: now.wall,
            event: .notified,
            plugin: plugin,
            label: EventType.notification.name,
            submission: number,
            blame: .nobody,
            message: "a notification was shown, with "
                + (isChanged ? "the content that the extension changed" : "its original content")
        )
    }
}
