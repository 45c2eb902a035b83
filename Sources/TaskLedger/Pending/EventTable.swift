// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import GRDB
import TaskModel

extension Database {
    /// Events never take each other's place.
    func store(_ event: PendingEvent, payload: [UInt8], names: inout PluginNames) throws {
        let retry = event.retry
        try run(
            """
            INSERT INTO event (
                number, plugin, type, created_at, attempts, not_before, runs_alone, was_interrupted, payload
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                event.number.rawValue, try names.number(of: event.plugin, in: self), Int64(event.type.rawValue),
                event.createdAt.nanoseconds, retry.attempts, retry.notBefore?.nanoseconds, retry.runsAlone,
                retry.wasInterrupted, Data(payload),
            ]
        )
    }

    /// Removing an event that is not pending changes nothing, as with requests.
    func removeEvent(_ number: SubmissionNumber) throws {
        try run("DELETE FROM event WHERE number = ?", [number.rawValue])
    }

    func pendingEvents() throws -> [PendingEvent] {
        let sql = """
            SELECT number, identifier, type, created_at, attempts, not_before, runs_alone, was_interrupted
            FROM event JOIN plugin ON plugin.id = event.plugin ORDER BY number
            """
        return try rows(sql, of: "event") { row in
            let number = try row.submission()
            return PendingEvent(
                plugin: try row.plugin(),
                number: number,
                type: try row.code(),
                createdAt: try row.wallTime(),
                retry: try row.retry()
            )
        }
    }
}
