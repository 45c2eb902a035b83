// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// Which waits to read: those of one submission, the newest under a label unless it is given.
package struct WaitSelection: Hashable, Sendable {
    /// The task identifier, or an event's name.
    package var label: String
    /// Whose event it is: plugins share their names.
    package var plugin: PluginIdentifier?
    package var submission: SubmissionNumber?
    /// The newest so many.
    package var limit: Int

    package init(
        label: String,
        plugin: PluginIdentifier? = nil,
        submission: SubmissionNumber? = nil,
        limit: Int
    ) {
        self.label = label
        self.plugin = plugin
        self.submission = submission
        self.limit = limit
    }
}

extension WaitSelection {
    var newestSubmission: (sql: String, arguments: StatementArguments) {
        let sql = "SELECT submission FROM wait WHERE \(condition) ORDER BY submission DESC LIMIT 1"
        return (sql, arguments)
    }

    /// Newest first, so that a limit leaves out the oldest.
    func rows(of submission: SubmissionNumber) -> (sql: String, arguments: StatementArguments) {
        let sql = """
            SELECT number, reason, since, until FROM wait WHERE \(condition) AND submission = ?
            ORDER BY number DESC LIMIT ?
            """
        return (sql, arguments + [submission.rawValue, limit])
    }

    private var condition: String {
        plugin == nil ? "label = ?" : "label = ? AND plugin = (SELECT id FROM plugin WHERE identifier = ?)"
    }

    private var arguments: StatementArguments { plugin.map { [label, $0.text] } ?? [label] }
}
