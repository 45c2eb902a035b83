// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
package import TaskModel

// The device tokens of plugins, and the newest tokens that have ended.
extension Ledger {
    /// The valid token of a plugin; nil without one. Blocks until it is read.
    package func pushToken(of plugin: PluginIdentifier) throws(LedgerError) -> IssuedPushToken? {
        try read("reading the device token of \(plugin)") { try $0.pushTokens(of: plugin).first }
    }

    /// All valid tokens. Blocks until they are read.
    package func pushTokens() throws(LedgerError) -> [IssuedPushToken] {
        try read("reading the device tokens") { try $0.pushTokens() }
    }

    /// The state of a token. Blocks until it is read.
    package func state(of token: PushToken) throws(LedgerError) -> PushTokenState {
        try read("reading a device token") { try $0.state(of: token) }
    }
}

extension Database {
    fileprivate func pushTokens(of plugin: PluginIdentifier? = nil) throws -> [IssuedPushToken] {
        let sql = """
            SELECT identifier, token, issued_at FROM push_token JOIN plugin ON plugin.id = push_token.plugin
            """
        let filter = plugin == nil ? "" : " WHERE identifier = ?"
        let arguments: StatementArguments = plugin.map { [$0.text] } ?? []
        return try rows(sql + filter, arguments, of: "push_token") { row in
            IssuedPushToken(
                plugin: try row.plugin(),
                token: try row.pushToken(),
                issuedAt: try row.wallTime("issued_at")
            )
        }
    }

    fileprivate func state(of token: PushToken) throws -> PushTokenState {
        let bytes = Data(token.bytes)
        let valid = try rows(Tokens.valid, [bytes], of: "push_token") { try $0.plugin() }
        if let plugin = valid.first { return .valid(plugin) }
        let ended = try rows(Tokens.ended, [bytes], of: "ended_push_token") { row in
            PushTokenState.ended(try row.plugin(), at: try row.wallTime("ended_at"))
        }
        return ended.first ?? .unknown
    }
}

extension RowReader {
    fileprivate mutating func pushToken() throws -> PushToken {
        guard let token = PushToken(bytes: try bytes("token")) else {
            throw LedgerFault.damaged("table push_token has a token of another size than \(PushToken.size) bytes")
        }
        return token
    }
}

extension WriteAccess {
    func change(
        pushTokenOf plugin: PluginIdentifier,
        _ change: PushTokenChange,
        at now: WallTime,
        names: inout PluginNames
    ) throws {
        switch change {
        case .issue(let token):
            let number = try names.number(of: plugin, in: self)
            try run(Tokens.issue, number, Data(token.bytes), now.nanoseconds)
        case .rotate(let token):
            let number = try names.number(of: plugin, in: self)
            try endPushToken(ofPlugin: number, at: now)
            try run(Tokens.issue, number, Data(token.bytes), now.nanoseconds)
        case .revoke:
            guard let number = try names.knownNumber(of: plugin, in: self) else { return }
            try endPushToken(ofPlugin: number, at: now)
        }
    }

    private func endPushToken(ofPlugin number: Int64, at now: WallTime) throws {
        try run(Tokens.keepEnded, now.nanoseconds, number)
        try run(Tokens.remove, number)
        try run(Tokens.prune, number, number)
    }
}

private enum Tokens {
    static let valid = """
        SELECT identifier FROM push_token JOIN plugin ON plugin.id = push_token.plugin WHERE token = ?
        """
    static let ended = """
        SELECT identifier, ended_at FROM ended_push_token JOIN plugin ON plugin.id = ended_push_token.plugin
        WHERE token = ?
        """
    static let issue = StatementText(
        "INSERT INTO push_token (plugin, token, issued_at) VALUES (?, ?, ?) ON CONFLICT (plugin) DO NOTHING"
    )
    static let keepEnded = StatementText(
        """
        INSERT OR REPLACE INTO ended_push_token (token, plugin, ended_at)
        SELECT token, plugin, ? FROM push_token WHERE plugin = ?
        """
    )
    static let remove = StatementText("DELETE FROM push_token WHERE plugin = ?")
    /// Keeps the newest 20 ended tokens of a plugin, so that rotations do not fill the ledger.
    static let prune = StatementText(
        """
        DELETE FROM ended_push_token WHERE plugin = ? AND token NOT IN (
            SELECT token FROM ended_push_token WHERE plugin = ? ORDER BY ended_at DESC, token LIMIT 20
        )
        """
    )
}

extension LedgerSchema {
    /// The fifteenth migration: the deadlines of requests, and the device tokens of plugins.
    static let fifteenth = """
        ALTER TABLE request ADD COLUMN expires_at INTEGER;
        ALTER TABLE task ADD COLUMN expires_at INTEGER;

        CREATE TABLE push_token (
            plugin INTEGER PRIMARY KEY REFERENCES plugin (id),
            token BLOB NOT NULL UNIQUE,
            issued_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE ended_push_token (
            id INTEGER PRIMARY KEY,
            token BLOB NOT NULL UNIQUE,
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            ended_at INTEGER NOT NULL
        ) STRICT;

        CREATE INDEX ended_push_token_by_plugin ON ended_push_token (plugin);
        """
}
