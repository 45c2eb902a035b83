// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel

// The answers to accepted pushes with an identifier, for the repetitions of these pushes. The scheduler finds a push by
// its identity in memory: the table is read at the start of a host only.
extension WriteAccess {
    /// Stores an answer, and deletes the answers to pushes of the plugin with lower numbers than `oldest`, and
    /// the answers to the pushes in `dropped`.
    func keep(
        _ push: AnsweredPush,
        of plugin: PluginIdentifier,
        oldest: SubmissionNumber,
        dropped: [SubmissionNumber],
        names: inout PluginNames
    ) throws {
        let number = try names.number(of: plugin, in: self)
        let (state, other) = push.result.columns
        try run(
            PushAnswers.store,
            number,
            push.number.rawValue,
            Data(push.identity.bytes),
            state.rawValue,
            other?.rawValue,
            push.expiresAt?.nanoseconds,
            push.at.nanoseconds
        )
        try run(PushAnswers.drop, number, oldest.rawValue)
        for dropped in dropped { try run(PushAnswers.remove, number, dropped.rawValue) }
    }

    func forgetPushAnswers(ofPlugin number: Int64) throws { try run(PushAnswers.forget, number) }
}

extension Database {
    /// The answers of the ten minutes before a time, in the order of the pushes; of any age when `now` is nil.
    func pushAnswers(at now: WallTime?) throws -> [PluginIdentifier: [AnsweredPush]] {
        let sql = """
            SELECT identifier, submission, identity, state, other, expires_at, at
            FROM push_answer JOIN plugin ON plugin.id = push_answer.plugin
            WHERE at >= ? ORDER BY plugin, submission
            """
        let earliest = now.map { $0 + .seconds(-PushAnswers.retention) } ?? WallTime(nanoseconds: .min)
        let answers = try rows(sql, [earliest.nanoseconds], of: "push_answer") { row in
            (try row.plugin(), try row.pushAnswer())
        }
        return Dictionary(grouping: answers, by: \.0).mapValues { $0.map(\.1) }
    }
}

extension RowReader {
    fileprivate mutating func pushAnswer() throws -> AnsweredPush {
        let number = try submission("submission")
        guard let identity = PushIdentity(bytes: try bytes("identity")) else {
            let size = PushIdentity.size
            throw LedgerFault.damaged("table push_answer has an identity of another size than \(size) bytes")
        }
        let state = try name("state", PushAnswers.State.self)
        let other = try optional("other") { try $0.submission($1) }
        guard let result = PushResult(state, other) else {
            throw LedgerFault.damaged("table push_answer has a replaced push without its successor, \(number)")
        }
        return AnsweredPush(
            identity: identity,
            number: number,
            result: result,
            expiresAt: try optionalWallTime("expires_at"),
            at: try wallTime("at")
        )
    }
}

extension PushResult {
    fileprivate var columns: (state: PushAnswers.State, other: SubmissionNumber?) {
        switch self {
        case .stored(let old): (.stored, old)
        case .replaced(let successor): (.replaced, successor)
        case .lapsed: (.lapsed, nil)
        case .shown: (.shown, nil)
        }
    }

    fileprivate init?(_ state: PushAnswers.State, _ other: SubmissionNumber?) {
        switch state {
        case .stored: self = .stored(replacing: other)
        case .replaced:
            guard let other else { return nil }
            self = .replaced(by: other)
        case .lapsed: self = .lapsed
        case .shown: self = .shown
        }
    }
}

private enum PushAnswers {
    enum State: String {
        case stored, replaced, lapsed, shown
    }

    /// Age in seconds from which on no repetition gets an answer; the scheduler compares it itself.
    static let retention = 600
    static let store = StatementText(
        """
        INSERT OR REPLACE INTO push_answer (plugin, submission, identity, state, other, expires_at, at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    )
    static let drop = StatementText("DELETE FROM push_answer WHERE plugin = ? AND submission < ?")
    static let remove = StatementText("DELETE FROM push_answer WHERE plugin = ? AND submission = ?")
    static let forget = StatementText("DELETE FROM push_answer WHERE plugin = ?")
}

extension LedgerSchema {
    /// The migration that adds the answers to pushes with an identifier. `other` is the number of the replaced push, or
    /// of the successor.
    static let pushAnswers = """
        CREATE TABLE push_answer (
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            submission INTEGER NOT NULL,
            identity BLOB NOT NULL,
            state TEXT NOT NULL,
            other INTEGER,
            expires_at INTEGER,
            at INTEGER NOT NULL,
            PRIMARY KEY (plugin, submission)
        ) STRICT, WITHOUT ROWID;
        """
}
