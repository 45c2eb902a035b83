// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

extension WriteAccess {
    /// Stores a pending event. Unlike a request, an event never replaces another one.
    func store(_ event: PendingEvent, payload: [UInt8], names: inout PluginNames) throws {
        let plugin = try names.number(of: event.plugin, in: self)
        try run(Event.insert) { run in
            try run.bind(event.number.rawValue)
            try run.bind(plugin)
            try run.bind(Int64(event.type.rawValue))
            try run.bind(event.createdAt.nanoseconds)
            try run.bind(event.retry)
            try run.bind(payload.count)
        }
        try store(payload, of: event.number)
    }

    func removeEvent(_ number: SubmissionNumber) throws { try removeWork(number, by: Event.remove) }
}

extension Database {
    /// The pending events of a plugin, ordered by number.
    ///
    /// - Parameter id: the number of the plugin's row.
    func pendingEvents(of plugin: PluginIdentifier, id: Int64) throws -> [PendingEvent] {
        try rows(Event.ofPlugin, [id], of: "event") { row in
            PendingEvent(
                plugin: plugin,
                number: try row.submission("number"),
                type: try row.code("type"),
                session: try row.session(),
                createdAt: try row.wallTime("created_at"),
                retry: try row.retry()
            )
        }
    }
}

enum Event {
    static let insert = StatementText(
        """
        INSERT INTO event (number, plugin, type, created_at, \(RetryColumns.list), payload_size)
        VALUES (?, ?, ?, ?, \(RetryColumns.placeholders), ?)
        """
    )
    /// The column of the session that an event reports: the payload of an event of the type `transfers-finished`.
    static func session(of number: String, _ type: String) -> String {
        """
        (SELECT CAST(bytes AS TEXT) FROM payload WHERE payload.submission = \(number)
            AND \(type) = \(EventType.transfersFinished.rawValue)) AS session
        """
    }

    static let remove = StatementText("DELETE FROM event WHERE number = ?")

    static let ofPlugin = """
        SELECT number, type, created_at, \(RetryColumns.list), \(session(of: "event.number", "event.type"))
        FROM event WHERE plugin = ? ORDER BY number
        """
}
