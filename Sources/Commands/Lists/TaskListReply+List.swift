// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

/// One row of `bgtask task list`.
enum TaskRow: Sendable {
    enum State: String, CaseIterable, Sendable {
        case running, pending
        /// A waiting event.
        case event
    }

    case running(TaskListReply.Running)
    case pending(TaskListReply.Pending)
    case event(TaskListReply.Event)

    var state: State {
        switch self {
        case .running: .running
        case .pending: .pending
        case .event: .event
        }
    }

    var plugin: String {
        switch self {
        case .running(let task): task.plugin
        case .pending(let task): task.plugin
        case .event(let event): event.plugin
        }
    }

    /// The task identifier, or the name of an event.
    var task: String {
        switch self {
        case .running(let task): task.task
        case .pending(let task): task.identifier
        case .event(let event): event.eventName
        }
    }

    var kind: String {
        switch self {
        case .running(let task): task.kind
        case .pending(let task): task.kind
        case .event: TaskKind.event.name
        }
    }

    var submission: Int64 {
        switch self {
        case .running(let task): task.submission
        case .pending(let task): task.submission
        case .event(let event): event.submission
        }
    }

    /// The number of attempts that have failed; nil for a running task.
    var attempts: Int? {
        switch self {
        case .running: nil
        case .pending(let task): task.attempts
        case .event(let event): event.attempts
        }
    }

    /// The code of the first blocking reason; nil for none and for a running task.
    var reason: String? {
        switch self {
        case .running: nil
        case .pending(let task): task.reason?.code
        case .event(let event): event.reason?.code
        }
    }

    /// The earliest begin of a pending request; nil without one.
    var earliestBegin: WallTime? { if case .pending(let task) = self { task.earliestBegin?.wall } else { nil } }
}

extension TaskRow: Encodable {
    private enum CodingKeys: String, CodingKey { case state }

    /// Encodes the row of the host's answer with its state.
    func encode(to encoder: any Encoder) throws {
        switch self {
        case .running(let task): try task.encode(to: encoder)
        case .pending(let task): try task.encode(to: encoder)
        case .event(let event): try event.encode(to: encoder)
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state.rawValue, forKey: .state)
    }
}

extension TaskListReply: ListReply {
    static let nothingFound = "no running task, pending request or waiting event found"

    static let sortKeys: [SortKey<TaskRow>] = [
        SortKey("task") { $0.task }, SortKey("plugin") { $0.plugin }, SortKey("kind") { $0.kind },
        SortKey("submission") { $0.submission }, SortKey("earliest") { $0.earliestBegin },
        SortKey("failed") { $0.attempts }, SortKey("reason") { $0.reason },
    ]

    static func name(of row: TaskRow) -> String { row.task }

    /// The running tasks, the pending requests and the waiting events. Sorted rows stay in the part of their state.
    var rows: [TaskRow] {
        get { running.map(TaskRow.running) + pending.map(TaskRow.pending) + events.map(TaskRow.event) }
        set {
            running = newValue.compactMap { if case .running(let task) = $0 { task } else { nil } }
            pending = newValue.compactMap { if case .pending(let task) = $0 { task } else { nil } }
            events = newValue.compactMap { if case .event(let event) = $0 { event } else { nil } }
        }
    }
}
