// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Scheduling
import TaskLedger
import TaskModel

// Cursors of tasks, as users see and delete them.
extension ControlRoutes {
    func cursor(_ text: String) async throws -> TaskCursorReply {
        let cursor = try await stored(try TaskIdentifier(validating: text))
        // The contents may name files or accounts of a user, and the log of a plugin needs the same role.
        return TaskCursorReply(cursor, showsContents: role == .operate)
    }

    func clearCursor(_ text: String) async throws -> TaskCursorClearReply {
        let identifier = try TaskIdentifier(validating: text)
        let plugin = try await stored(identifier).plugin
        switch await ask({ .cursorClearRequested(identifier, of: plugin, reply: $0) }) {
        case .cursorCleared: return TaskCursorClearReply(identifier, of: plugin)
        case let answer: throw unexpected(answer)
        }
    }

    /// The cursors of tasks, for replies that describe the tasks.
    func cursors(of identifiers: some Sequence<String>) async throws -> CursorSummaries {
        let identifiers = Set(identifiers).compactMap { TaskIdentifier($0) }
        if identifiers.isEmpty { return CursorSummaries([]) }
        return CursorSummaries(try await recorded { try $0.cursors(of: identifiers) })
    }

    /// The stored cursor of the task: that of the plugin which holds the identifier.
    private func stored(_ identifier: TaskIdentifier) async throws -> StoredCursor {
        let holder = try await read { scheduler, _ in scheduler.holder(of: identifier) }
        let cursors = try await recorded { try $0.cursors(of: [identifier]) }
        if let cursor = cursors.cursor(heldBy: holder) { return cursor }
        try await requireKnown(identifier)
        throw RouteError(
            .noSuchCursor,
            "\(identifier) has no cursor: it has moved none, its last run succeeded, or the cursor was deleted"
        )
    }
}

extension [StoredCursor] {
    /// The cursor of the plugin that holds the task identifier; nil when it has none. Without a holder, the first
    /// cursor: that of a plugin that had the identifier.
    func cursor(heldBy holder: PluginIdentifier?) -> StoredCursor? {
        guard let holder else { return first }
        return first { $0.plugin == holder }
    }
}

/// Cursors by plugin and task identifier.
struct CursorSummaries: Sendable {
    private struct Key: Hashable {
        let plugin: String
        let identifier: String
    }

    private let summaries: [Key: CursorSummary]

    init(_ cursors: [StoredCursor]) {
        let pairs = cursors.map { stored in
            (Key(plugin: stored.plugin.text, identifier: stored.identifier.text), CursorSummary(stored.cursor))
        }
        summaries = Dictionary(pairs) { first, _ in first }
    }

    /// The cursor of the task; nil when it has none, and for an event.
    subscript(plugin: String, identifier: String?) -> CursorSummary? {
        identifier.flatMap { summaries[Key(plugin: plugin, identifier: $0)] }
    }
}
