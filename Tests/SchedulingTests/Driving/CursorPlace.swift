// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The owner of a cursor: a task identifier of a main plugin.
struct CursorPlace: Hashable {
    let plugin: PluginIdentifier
    let identifier: TaskIdentifier

    init(_ plugin: PluginIdentifier, _ identifier: TaskIdentifier) {
        self.plugin = plugin
        self.identifier = identifier
    }
}

/// A cursor in the ledger of a test, without its contents.
struct CursorRecord: Hashable {
    /// Number of runs in a row that did not move the cursor.
    var standstills: Int
    /// The submission whose task wrote the cursor.
    let submission: SubmissionNumber

    /// Whether no newer submission than `number` wrote the cursor; true when it is nil.
    func isWritten(upTo number: SubmissionNumber?) -> Bool { number.map { submission <= $0 } ?? true }
}
