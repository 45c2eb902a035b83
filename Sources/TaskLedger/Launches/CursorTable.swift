// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
package import TaskModel

extension Ledger {
    /// The cursor of the task identifier; nil when it has none.
    package func cursor(of identifier: TaskIdentifier) throws(LedgerError) -> StoredCursor? {
        try read("reading the cursor of \(identifier)") { try $0.cursors(of: [identifier]).first }
    }

    /// The cursors of those task identifiers that have one.
    package func cursors(of identifiers: [TaskIdentifier]) throws(LedgerError) -> [StoredCursor] {
        try read("reading cursors") { try $0.cursors(of: identifiers) }
    }
}

/// Statements on the table of cursors: one row per plugin and task identifier.
extension WriteAccess {
    /// Maximum number of cursors of one plugin. Beyond it, a new cursor deletes those that were written least recently,
    /// but neither itself nor the cursor of a running task, and that of a pending request only when no other is left.
    static let mostCursors: Int64 = 1_000

    /// Stores the cursor of a running task, or deletes it when the task has discarded it. No effect without contents,
    /// and when a newer submission of the identifier wrote the stored cursor.
    ///
    /// - Returns: the cursors that were deleted, because the plugin had too many.
    func storeCursor(_ change: CursorChange, names: inout PluginNames) throws -> [EvictedCursor] {
        let plugin = try names.number(of: change.plugin, in: self)
        let identifier = change.identifier
        switch change.image {
        case nil: return []
        case .discarded:
            try dropCursor(of: change.plugin, identifier, until: change.submission, names: &names)
            return []
        case .bytes(let bytes):
            let launch = change.isMovement ? change.launch.rawValue : nil
            let origin = try origin(of: change, plugin: plugin)
            try run(Cursors.store) { run in
                try run.bind(plugin)
                try run.bind(identifier.text)
                try run.bind(Data(bytes))
                try run.bind(change.version)
                try run.bind(change.submission.rawValue)
                try run.bind(launch)
                try run.bind(change.at.nanoseconds)
                try run.bind(origin)
                try run.bind(plugin)
            }
            return try trimCursors(ofPlugin: plugin, keeping: identifier)
        }
    }

    /// Deletes the cursors above the limit of a plugin, and returns them.
    private func trimCursors(ofPlugin plugin: Int64, keeping identifier: TaskIdentifier) throws -> [EvictedCursor] {
        let excess = (try integer(Cursors.count, plugin) ?? 0) - Self.mostCursors
        if excess <= 0 { return [] }
        let idle = try removeCursors(Cursors.oldestIdle, excess, ofPlugin: plugin, keeping: identifier)
        let evicted = idle.map { EvictedCursor(task: $0, hasRequest: false) }
        let rest = excess - Int64(idle.count)
        if rest == 0 { return evicted }
        // Only cursors of pending requests are left.
        let oldest = try removeCursors(Cursors.oldest, rest, ofPlugin: plugin, keeping: identifier)
        return evicted + oldest.map { EvictedCursor(task: $0, hasRequest: true) }
    }

    /// Deletes the cursors that a query selects, and returns their tasks.
    private func removeCursors(
        _ query: StatementText,
        _ count: Int64,
        ofPlugin plugin: Int64,
        keeping identifier: TaskIdentifier
    ) throws -> [String] {
        let tasks = try texts(query, plugin, identifier.text, plugin, count)
        for task in tasks { try run(Cursors.remove, plugin, task, Int64.max) }
        return tasks
    }

    /// Deletes the cursor of a task.
    ///
    /// - Parameter submission: keeps a cursor that a newer submission wrote; nil deletes it in any case.
    func dropCursor(
        of plugin: PluginIdentifier,
        _ identifier: TaskIdentifier,
        until submission: SubmissionNumber?,
        names: inout PluginNames
    ) throws {
        guard let number = try names.knownNumber(of: plugin, in: self) else { return }
        try run(Cursors.remove, number, identifier.text, submission?.rawValue ?? Int64.max)
    }

    /// Sets the number of runs in a row that did not move the cursor, unless a newer submission wrote the cursor.
    func setStandstills(
        of plugin: PluginIdentifier,
        _ identifier: TaskIdentifier,
        _ count: Int,
        until submission: SubmissionNumber,
        names: inout PluginNames
    ) throws {
        guard let number = try names.knownNumber(of: plugin, in: self) else { return }
        try run(Cursors.setStandstills, count, number, identifier.text, submission.rawValue)
    }

    func hasCursors() throws -> Bool { try integer(Cursors.any) != nil }

    func forgetCursors(ofPlugin number: Int64) throws { try run(Cursors.forget, number) }
}

extension Database {
    /// The cursors of the unfinished tasks of a launch, by submission number.
    func cursors(of launch: LaunchNumber) throws -> [SubmissionNumber: TaskCursor] {
        let found = try rows(Cursors.ofLaunch, [launch.rawValue], of: "cursor") { row in
            (try row.submission("submission"), try row.cursor())
        }
        return Dictionary(found) { first, _ in first }
    }

    /// The cursor of an unfinished task of that launch; nil without one.
    func cursor(of submission: SubmissionNumber, in launch: LaunchNumber) throws -> TaskCursor? {
        try rows(Cursors.ofTask, [launch.rawValue, submission.rawValue], of: "cursor") { try $0.cursor() }.first
    }

    /// The unfinished tasks of a launch whose cursor the launch has moved.
    func movedTasks(of launch: LaunchNumber) throws -> Set<SubmissionNumber> {
        Set(try rows(Cursors.moved, [launch.rawValue], of: "cursor") { try $0.submission("submission") })
    }

    fileprivate func cursors(of identifiers: [TaskIdentifier]) throws -> [StoredCursor] {
        try identifiers.flatMap { identifier in
            try rows(Cursors.ofIdentifier, [identifier.text], of: "cursor") { row in
                StoredCursor(plugin: try row.plugin(), identifier: identifier, cursor: try row.cursor())
            }
        }
    }
}

extension RowReader {
    mutating func cursor() throws -> TaskCursor {
        TaskCursor(
            bytes: try bytes("bytes"),
            version: try text("version"),
            movedAt: try wallTime("moved_at"),
            submission: try submission("written_by"),
            standstills: try count("standstills")
        )
    }
}
