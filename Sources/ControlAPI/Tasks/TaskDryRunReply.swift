// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `POST /v1/tasks?dry_run=true`: the effect that the request would have. Nothing is stored.
package struct TaskDryRunReply: Codable, Hashable, Sendable {
    /// The main plugin that would be launched for the request.
    package let plugin: String
    package let identifier: String
    /// Submission number of the pending request that the new request would replace; nil when there is none.
    package let replaced: Int64?
    /// The earliest begin of the request; nil when the request has none.
    package let earliestBegin: Timestamp?
    private let earliestBeginSecond: CalendarTime?
    /// The deadline of the request; nil when it has none.
    package let expiresAt: Timestamp?
    private let expiresAtSecond: CalendarTime?
    /// The pauses for whose end the request would wait; nil when its plugin is not paused.
    package let waiting: [WaitingReason]?

    package init(
        plugin: PluginIdentifier,
        identifier: TaskIdentifier,
        replacing replaced: SubmissionNumber?,
        earliestBegin: WallTime? = nil,
        expiresAt: WallTime? = nil,
        waiting: [WaitingReason] = []
    ) {
        self.plugin = plugin.text
        self.identifier = identifier.text
        self.replaced = replaced?.rawValue
        self.earliestBegin = earliestBegin.map(Timestamp.init)
        earliestBeginSecond = self.earliestBegin.map(CalendarTime.init(secondOf:))
        self.expiresAt = expiresAt.map(Timestamp.init)
        expiresAtSecond = self.expiresAt.map(CalendarTime.init(secondOf:))
        self.waiting = waiting.isEmpty ? nil : waiting
    }

    private enum CodingKeys: String, CodingKey {
        case plugin, identifier, replaced, waiting
        case earliestBegin = "earliest_begin_ns"
        case earliestBeginSecond = "earliest_begin"
        case expiresAt = "expires_at_ns"
        case expiresAtSecond = "expires_at"
    }
}

extension TaskSubmission {
    /// The query parameter for a check of the request without its storage.
    static let dryRun = "dry_run"
    static let queryNames = [dryRun]

    /// The query of a dry run.
    package static let dryRunItems = [(name: dryRun, value: "true")]

    package static func isDryRun(reading value: (String) -> String?) throws(RouteError) -> Bool {
        try QueryValue.boolean(value(dryRun), named: dryRun) ?? false
    }
}
