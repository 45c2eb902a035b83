// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Crypto
import Foundation
import GRDB
package import TaskModel

// The device tokens of plugins, and the newest tokens that have ended. A valid token is stored, because its plugin gets
// the same token at each registration. Tokens are found by their SHA-256, and of an ended token only this is kept.
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

extension PushToken {
    /// The SHA-256 of the token. It does not reveal the token, which is random.
    fileprivate var digest: Data { Data(SHA256.hash(data: bytes)) }
}

extension Database {
    /// The plugins with a valid device token.
    func pushTokenHolders() throws -> Set<PluginIdentifier> {
        let sql = "SELECT identifier FROM push_token JOIN plugin ON plugin.id = push_token.plugin"
        return Set(try rows(sql, of: "push_token") { try $0.plugin() })
    }

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
        let digest = token.digest
        let valid = try rows(Tokens.valid, [digest], of: "push_token") { try $0.plugin() }
        if let plugin = valid.first { return .valid(plugin) }
        let ended = try rows(Tokens.ended, [digest], of: "ended_push_token") { row in
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
            try run(Tokens.issue, number, Data(token.bytes), token.digest, now.nanoseconds)
        case .rotate(let token):
            let number = try names.number(of: plugin, in: self)
            try endPushToken(ofPlugin: number, at: now)
            try run(Tokens.issue, number, Data(token.bytes), token.digest, now.nanoseconds)
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
        SELECT identifier FROM push_token JOIN plugin ON plugin.id = push_token.plugin WHERE digest = ?
        """
    static let ended = """
        SELECT identifier, ended_at FROM ended_push_token JOIN plugin ON plugin.id = ended_push_token.plugin
        WHERE digest = ?
        """
    static let issue = StatementText(
        """
        INSERT INTO push_token (plugin, token, digest, issued_at) VALUES (?, ?, ?, ?) ON CONFLICT (plugin) DO NOTHING
        """
    )
    static let keepEnded = StatementText(
        """
        INSERT OR REPLACE INTO ended_push_token (digest, plugin, ended_at)
        SELECT digest, plugin, ? FROM push_token WHERE plugin = ?
        """
    )
    static let remove = StatementText("DELETE FROM push_token WHERE plugin = ?")
    /// Keeps the newest 20 ended tokens of a plugin, so that rotations do not fill the ledger.
    static let prune = StatementText(
        """
        DELETE FROM ended_push_token WHERE plugin = ? AND digest NOT IN (
            SELECT digest FROM ended_push_token WHERE plugin = ? ORDER BY ended_at DESC, digest LIMIT 20
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

    /// The eighteenth migration: tokens are found by their digest, and of ended tokens only the digest is kept. SQLite
    /// computes no SHA-256, so the tokens of older ledgers are dropped.
    static let tokenDigests = """
        DROP TABLE push_token;
        DROP TABLE ended_push_token;

        CREATE TABLE push_token (
            plugin INTEGER PRIMARY KEY REFERENCES plugin (id),
            token BLOB NOT NULL,
            digest BLOB NOT NULL UNIQUE,
            issued_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE ended_push_token (
            id INTEGER PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE,
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            ended_at INTEGER NOT NULL
        ) STRICT;

        CREATE INDEX ended_push_token_by_plugin ON ended_push_token (plugin);
        """
}

// A backup leaves the machine, and a restored host ends all tokens: the copy has none that is valid.
extension Database {
    /// Ends the valid tokens in the copy of a ledger, and writes the file anew without its free space.
    ///
    /// - Parameter now: the time at which the tokens of the copy end.
    func dropPushTokens(at now: WallTime) throws {
        guard try tableExists("push_token") else { return }
        if try columns(in: "push_token").contains(where: { $0.name == "digest" }) {
            try execute(
                sql: """
                    INSERT OR REPLACE INTO ended_push_token (digest, plugin, ended_at)
                    SELECT digest, plugin, ? FROM push_token
                    """,
                arguments: [now.nanoseconds]
            )
            try execute(sql: "DELETE FROM push_token")
        } else {
            // A ledger of an older host, with ended tokens as they were issued.
            try execute(sql: "DELETE FROM push_token; DELETE FROM ended_push_token")
        }
        // The free space of the copied pages may contain tokens that ended or moved to another page.
        try execute(sql: "VACUUM")
    }
}
