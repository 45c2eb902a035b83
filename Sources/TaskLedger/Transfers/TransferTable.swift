// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

// The transfers of plugins: the open ones, and the ended ones until their plugins have taken them up.
extension Ledger {
    /// The transfers of a plugin, or of all plugins, ordered by number. Blocks until they are read.
    package func transfers(of plugin: PluginIdentifier? = nil) throws(LedgerError) -> [Transfer] {
        try read("reading transfers") { database in
            let arguments: StatementArguments = plugin.map { [$0.text] } ?? []
            return try database.transfers(plugin == nil ? "" : "WHERE plugin.identifier = ?", arguments)
        }
    }

    /// The transfers of a plugin, of one session or of all: at most `limit`, the ended ones first, each ordered by
    /// number. Blocks until they are read.
    package func transfers(
        of plugin: PluginIdentifier,
        in session: TransferSession?,
        atMost limit: Int
    ) throws(LedgerError) -> [Transfer] {
        try read("reading transfers") { database in
            let plugin: StatementArguments = [plugin.text]
            let named: StatementArguments = session.map { [$0.text] } ?? []
            return try database.transfers(
                "WHERE plugin.identifier = ?" + (session == nil ? "" : " AND session = ?"),
                plugin + named + [limit],
                order: "ended_at IS NULL, number LIMIT ?"
            )
        }
    }

    /// The transfers of a plugin whose files stay, ordered by number: the open ones, those whose file the plugin has
    /// not taken, and those whose file a running function may read. Blocks until they are read.
    package func transfersWithFiles(of plugin: PluginIdentifier) throws(LedgerError) -> [Transfer] {
        try read("reading transfers") { database in
            let stays = "(\(Transfers.isCounted) OR \(Transfers.isRead))"
            return try database.transfers("WHERE plugin.identifier = ? AND \(stays)", [plugin.text])
        }
    }

    /// A page of transfers, newest first. Blocks until it is read.
    package func transfers(_ selection: TransferSelection) throws(LedgerError) -> [Transfer] {
        try read("reading transfers") { database in
            let (filter, arguments) = selection.filter
            return try database.transfers(filter, arguments + [selection.limit], order: "number DESC LIMIT ?")
        }
    }

    /// The transfer with a number; nil when it is not recorded.
    package func transfer(_ number: SubmissionNumber) throws(LedgerError) -> Transfer? {
        try read("reading transfer \(number)") { try $0.transfers("WHERE number = ?", [number.rawValue]).first }
    }
}

extension WriteAccess {
    func store(_ transfer: Transfer, names: inout PluginNames) throws {
        let plugin = try names.number(of: transfer.plugin, in: self)
        try run(Transfers.store) { run in
            try run.bind(transfer.number.rawValue)
            try run.bind(plugin)
            try run.bind(Int64(transfer.direction.rawValue))
            try run.bind(transfer.session.text)
            try run.bind(transfer.label)
            try run.bind(transfer.url)
            try run.bind(transfer.place)
            try run.bind(transfer.begunAt.nanoseconds)
            try run.bind(Int64(transfer.state.rawValue))
            try run.bind((transfer.fault?.rawValue).map(Int64.init))
            try run.bind(transfer.httpStatus.map(Int64.init))
            try run.bind(Int64(clamping: transfer.bytes))
            try run.bind(transfer.total.map(Int64.init(clamping:)))
            try run.bind(transfer.idle.wholeNanoseconds)
            try run.bind(transfer.triedAt?.nanoseconds)
            try run.bind(transfer.endedAt?.nanoseconds)
            try run.bind(transfer.file)
            try run.bind(transfer.isTaken)
            try run.bind(transfer.isPaused)
            try run.bind(transfer.message)
        }
    }

    /// Marks the file of an ended transfer of the plugin as taken.
    func takeTransfer(_ number: SubmissionNumber, of plugin: PluginIdentifier, names: inout PluginNames) throws {
        guard let known = try names.knownNumber(of: plugin, in: self) else { return }
        try run(Transfers.take, known, number.rawValue)
    }

    /// Deletes the ended transfers of a session below a number that have no file, whose file was taken, or whose file is
    /// the response to an upload. A file that a running function may read stays with its record.
    func dropTransfers(
        of session: TransferSession,
        _ plugin: PluginIdentifier,
        before end: SubmissionNumber,
        names: inout PluginNames
    ) throws {
        guard let known = try names.knownNumber(of: plugin, in: self) else { return }
        try run(Transfers.drop, known, session.text, end.rawValue)
    }

    func forgetTransfers(ofPlugin number: Int64) throws { try run(Transfers.forget, number) }
}

extension Database {
    /// The transfers of a plugin that have no end or whose file the plugin has not taken, ordered by number.
    ///
    /// - Parameter id: the number of the plugin's row.
    func countedTransfers(of plugin: PluginIdentifier, id: Int64) throws -> [Transfer] {
        try transfers("WHERE plugin = ? AND \(Transfers.isCounted)", [id])
    }

    fileprivate func transfers(
        _ filter: String,
        _ arguments: StatementArguments,
        order: String = "number"
    ) throws -> [Transfer] {
        try rows("\(Transfers.select) \(filter) ORDER BY \(order)", arguments, of: "transfer") { try $0.transfer() }
    }
}

extension RowReader {
    /// The session that an event reports; nil for an event of another type.
    mutating func session() throws -> TransferSession? {
        try optional("session") { try $0.value($1, fromText: TransferSession.init) }
    }

    fileprivate mutating func transfer() throws -> Transfer {
        var transfer = Transfer(
            plugin: try plugin(),
            number: try submission("number"),
            direction: try code("direction"),
            session: try value("session", fromText: TransferSession.init),
            label: try optionalText("label"),
            url: try text("url"),
            place: try text("place"),
            begunAt: try wallTime("begun_at")
        )
        transfer.state = try code("state")
        transfer.fault = try optional("fault") { try $0.code($1, TransferFault.self) }
        transfer.httpStatus = try optional("http_status") { try $0.count($1) }
        transfer.bytes = try value("bytes", fromInteger: { UInt64(exactly: $0) })
        transfer.total = try optional("total") { try $0.value($1, fromInteger: { UInt64(exactly: $0) }) }
        transfer.idle = try duration("idle_ns")
        transfer.triedAt = try optionalWallTime("tried_at")
        transfer.endedAt = try optionalWallTime("ended_at")
        transfer.file = try optionalText("file")
        transfer.isTaken = try flag("is_taken")
        transfer.isPaused = try flag("is_paused")
        transfer.message = try text("message")
        return transfer
    }
}

enum Transfers {
    /// The condition of a transfer that counts against the limit of its plugin.
    static let isCounted = "(ended_at IS NULL OR file IS NOT NULL AND is_taken = 0)"

    /// The condition of a download whose file a running function may read. Its record and its file stay until the end
    /// of the task, although a newer submission has taken the file.
    static let isRead = """
        (file IS NOT NULL AND session GLOB 'argument-*' AND EXISTS (
            SELECT 1 FROM launch JOIN task ON task.launch = launch.number
            WHERE launch.outcome IS NULL AND launch.plugin = transfer.plugin AND task.label = transfer.label
                AND task.is_over = 0
        ))
        """

    /// The condition of a download for the function of a pending request, which gets its file however late it starts.
    static let isAwaited = """
        (file IS NOT NULL AND is_taken = 0 AND session GLOB 'argument-*' AND EXISTS (
            SELECT 1 FROM request WHERE request.plugin = transfer.plugin AND request.identifier = transfer.label
        ))
        """

    private static let columns = """
        number, plugin, direction, session, label, url, place, begun_at, state, fault, http_status, bytes, total, idle_ns,
        tried_at, ended_at, file, is_taken, is_paused, message
        """
    static let store = StatementText(
        """
        INSERT OR REPLACE INTO transfer (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    static let take = StatementText(
        "UPDATE transfer SET is_taken = 1 WHERE plugin = ? AND number = ? AND ended_at IS NOT NULL"
    )
    static let drop = StatementText(
        """
        DELETE FROM transfer
        WHERE plugin = ? AND session = ? AND number < ? AND ended_at IS NOT NULL
            AND (is_taken = 1 OR file IS NULL OR direction = \(TransferDescription.Direction.upload.rawValue))
            AND NOT \(isRead)
        """
    )
    static let forget = StatementText("DELETE FROM transfer WHERE plugin = ?")
    static let select = """
        SELECT plugin.identifier AS identifier, number, direction, session, label, url, place, begun_at, state, fault,
            http_status, bytes, total, idle_ns, tried_at, ended_at, file, is_taken, is_paused, message
        FROM transfer JOIN plugin ON plugin.id = transfer.plugin
        """
}

extension LedgerSchema {
    /// The twenty-second migration: transfers and their results.
    static let transfers = """
        CREATE TABLE transfer (
            number INTEGER PRIMARY KEY,
            plugin INTEGER NOT NULL REFERENCES plugin (id),
            direction INTEGER NOT NULL,
            session TEXT NOT NULL,
            label TEXT,
            url TEXT NOT NULL,
            place TEXT NOT NULL,
            begun_at INTEGER NOT NULL,
            state INTEGER NOT NULL,
            fault INTEGER,
            http_status INTEGER,
            bytes INTEGER NOT NULL,
            total INTEGER,
            idle_ns INTEGER NOT NULL,
            tried_at INTEGER,
            ended_at INTEGER,
            file TEXT,
            is_taken INTEGER NOT NULL,
            is_paused INTEGER NOT NULL,
            message TEXT NOT NULL
        ) STRICT;

        CREATE INDEX transfer_by_plugin ON transfer (plugin, session);
        CREATE INDEX transfer_by_end ON transfer (ended_at) WHERE ended_at IS NOT NULL;
        """
}
