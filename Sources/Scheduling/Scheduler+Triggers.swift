// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Triggers of extensions. The answer is sent after the event's commit (C11).
extension Scheduler {
    mutating func trigger(_ trigger: Trigger, reply: ReplyToken, at now: Moment) {
        if let refusal = refusal(of: trigger) { return emit(.answer(reply, .refused(refusal))) }
        let event = PendingEvent(plugin: trigger.plugin, number: nextSubmission(), type: .trigger, createdAt: now.wall)
        plugins[trigger.plugin].events.begin(event)
        let entry = JournalEntry(
            at: now.wall,
            event: .triggered,
            plugin: trigger.plugin,
            label: event.type.name,
            submission: event.number,
            blame: .nobody,
            message: JournalEntry.Event.triggered.row.meaning
        )
        stage(.trigger(event, reply: reply), [.storeEvent(event, payload: trigger.payload), .journal(entry)])
    }

    mutating func triggered(_ event: PendingEvent, reply: ReplyToken, at now: Moment) {
        plugins[event.plugin].events.end(event)
        insert(event, at: now)
        // The use counts for the main plugin.
        let main = mainPlugin(of: event.plugin)
        if plugins.contains(main) {
            plugins[main].record.uses.add(1, at: now.wall)
            noteUse(of: main, at: now)
        }
        emit(.answer(reply, .triggered(event.number)))
        consider(event.plugin, .event, at: now)
        reevaluate(event.plugin, at: now)
    }

    mutating func notTriggered(_ event: PendingEvent, reply: ReplyToken, because message: String, at now: Moment) {
        plugins[event.plugin].events.end(event)
        emit(.answer(reply, .refused(.notRecorded("trigger", because: message))))
        reevaluate(event.plugin, at: now)
    }

    /// The refusal of a trigger; nil when the trigger is accepted. A main plugin cannot be triggered: its work has to
    /// be submitted as requests, which have limits and replace one another, and events would bypass both.
    private func refusal(of trigger: Trigger) -> SubmissionRefusal? {
        if isStopping { return .hostStopping(remedy: "trigger the extension again after the host's restart") }
        let plugin = trigger.plugin
        guard plugins.contains(plugin), let entry = plugins[plugin].entry else {
            let refusal = plugins.contains(plugin) ? plugins[plugin].refusal : nil
            let problem = refusal.map { "plugin \(plugin) is refused: \($0)" }
            return SubmissionRefusal(
                code: .unavailable,
                subReason: .pluginMissing,
                message: problem ?? "no plugin \(plugin) is installed; install it, with its main plugin"
            )
        }
        guard let main = entry.containingPlugin else {
            return SubmissionRefusal(
                code: .notPermitted,
                subReason: .notAnExtension,
                message:
                    "\(plugin) is a main plugin, and only extensions are triggered; submit a request for one of its"
                    + " tasks, or trigger one of its extensions"
            )
        }
        if entry.extensionPoint != .trigger {
            return SubmissionRefusal(
                code: .notPermitted,
                subReason: .notAnExtension,
                message: "\(plugin) is a notification service extension, and only extensions with the extension-point"
                    + " trigger are triggered; launch this one with bgtask push send \(main) --alert TITLE --mutable"
            )
        }
        if let disabled = [plugin, main].first(where: { !configuration.policy(for: $0).isEnabled }) {
            return .pluginDisabled(disabled)
        }
        let minors = configuration.abiMinors
        if !minors.delivers(.trigger, to: entry.library), let header = entry.library.headerMinor {
            let since = max(minors.since(.event), minors.since(.trigger))
            return .pluginTooOld(plugin, for: "triggers", since: since, header: header)
        }
        let count = plugins[plugin].events.expectedCount
        if count < configuration.eventLimit { return nil }
        return SubmissionRefusal(
            code: .tooManyPendingTaskRequests,
            subReason: .eventLimit,
            message: "events that wait for \(plugin): \(count), and at most \(configuration.eventLimit) may wait;"
                + " see their waiting reasons with \"bgtask why \(plugin)\", and trigger it again later, or raise"
                + " limits.event in the host's configuration and run bgtask host reload"
        )
    }
}
