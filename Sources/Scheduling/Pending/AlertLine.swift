// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The accepted alerts of one plugin whose notification is not shown yet, oldest first. A pure value.
struct AlertLine: Sendable {
    enum State: Hashable, Sendable {
        /// The commit that stores the alert is in flight.
        case arriving
        /// The alert waits for a launch of its extension or, without one, for earlier alerts of its topic.
        case waiting
        /// The extension runs for the alert, or its launch is being committed.
        case running
        /// The original is to be shown as soon as no earlier alert of the topic is left.
        case overdue
        /// The commit that shows the original is in flight.
        case showing
    }

    struct Entry: Sendable {
        let number: SubmissionNumber
        let topic: NotificationTopic?
        /// The extension that receives the alert; nil without one.
        let service: PluginIdentifier?
        /// The time until which the alert waits for the start of its extension.
        let deadline: MonotonicTime
        var state = State.arriving

        var isDue: Bool { state == .overdue || state == .waiting && service == nil }
    }

    private(set) var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    func has(_ number: SubmissionNumber) -> Bool { entries.contains { $0.number == number } }

    /// The newest alert of a topic; nil without one.
    func last(of topic: NotificationTopic?) -> Entry? { entries.last { $0.topic == topic } }

    /// The first deadline of an alert that waits for its extension; nil without one.
    var nextDeadline: MonotonicTime? { awaiting.map(\.deadline).min() }

    private var awaiting: [Entry] { entries.filter { $0.state == .waiting && $0.service != nil } }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    mutating func remove(_ numbers: [SubmissionNumber]) {
        entries.removeAll { numbers.contains($0.number) }
    }

    mutating func set(_ state: State, of number: SubmissionNumber) {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return }
        entries[index].state = state
    }

    /// Marks the alerts as overdue that have waited for their extension until `now`. Returns them.
    mutating func passDeadlines(at now: MonotonicTime) -> [Entry] {
        let late = awaiting.filter { $0.deadline <= now }
        for entry in late { set(.overdue, of: entry.number) }
        return late
    }

    /// The alerts that are shown now with their original content, in order: an earlier alert of the same topic is shown
    /// before, or with, a later one.
    func due() -> [SubmissionNumber] {
        var blocked: Set<NotificationTopic?> = []
        return entries.compactMap { entry in
            if entry.isDue, !blocked.contains(entry.topic) { return entry.number }
            blocked.insert(entry.topic)
            return nil
        }
    }
}

/// An alert whose acceptance is in flight.
struct StagedAlert: Sendable {
    let plugin: PluginIdentifier
    let sender: PushSender
    let number: SubmissionNumber
    let reply: ReplyToken
    /// The event for the extension; nil when no extension receives the alert.
    let event: PendingEvent?
    /// Whether the same commit shows the notification.
    let isShown: Bool
    /// The alert with its answer, for repetitions; empty when its sender gave it no identifier.
    let kept: RecordedAnswers
}

extension PendingWork {
    /// Whether the work is an alert, which a notification service extension receives.
    var isAlert: Bool { if case .event(let event) = self { event.type == .notification } else { false } }
}
