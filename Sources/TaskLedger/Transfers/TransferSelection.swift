// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// A page of the recorded transfers, newest first.
package struct TransferSelection: Hashable, Sendable {
    /// Only transfers with a lower number; nil for the first page.
    package var before: SubmissionNumber?
    package var plugin: PluginIdentifier?
    package var session: TransferSession?
    /// The states; empty for every state.
    package var states: Set<TransferState> = []
    /// The transfers that launches run now, which the ledger does not record.
    package var running: Set<SubmissionNumber> = []
    package var limit: Int

    package init(limit: Int) { self.limit = limit }
}

extension TransferSelection {
    /// The condition of the selected rows, with its arguments.
    var filter: (sql: String, arguments: StatementArguments) {
        var terms = ["number < ?"]
        var arguments: StatementArguments = [before?.rawValue ?? .max]
        if let plugin {
            terms.append("plugin.identifier = ?")
            arguments += [plugin.text]
        }
        if let session {
            terms.append("session = ?")
            arguments += [session.text]
        }
        if !states.isEmpty {
            let choices = TransferState.allCases.filter(states.contains).map(condition)
            terms.append("(\(choices.joined(separator: " OR ")))")
        }
        return ("WHERE " + terms.joined(separator: " AND "), arguments)
    }

    private func condition(of state: TransferState) -> String {
        let numbers = running.map { "\($0.rawValue)" }.sorted().joined(separator: ", ")
        return switch state {
        case .waiting: "(ended_at IS NULL AND is_paused = 0 AND number NOT IN (\(numbers)))"
        case .running: "(ended_at IS NULL AND is_paused = 0 AND number IN (\(numbers)))"
        case .paused: "(ended_at IS NULL AND is_paused = 1)"
        case .finished, .failed, .cancelled: "state = \(state.rawValue)"
        }
    }
}
