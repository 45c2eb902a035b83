// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

// The payload that a cursor belongs to. A request with another payload names other work, so that its task would skip
// items of that work if it began at the cursor.
extension WriteAccess {
    /// The digest of the payload of the task that writes the cursor. Read from the cursor when the same submission
    /// wrote it before, so that a payload is hashed once.
    func origin(of change: CursorChange, plugin: Int64) throws -> Int64? {
        let submission = change.submission
        let known = try integer(Cursors.origin, plugin, change.identifier.text, submission.rawValue)
        if let known { return known }
        // A task that is no longer unfinished has no payload to compare with.
        return try database.payload(of: submission, in: change.launch).map { Self.digest(of: $0) }
    }

    /// Deletes the cursors of the unfinished tasks of a launch that belong to another payload than that of the task.
    ///
    /// - Parameter payloads: the payloads of the tasks that start; other tasks of the launch keep their cursors.
    func dropCursorsOfOtherPayloads(of launch: LaunchNumber, _ payloads: [SubmissionNumber: [UInt8]]) throws {
        let origins = try database.rows(Cursors.origins, [launch.rawValue], of: "cursor") { row in
            (try row.integer("cursor_row"), try row.submission("submission"), try row.integer("origin"))
        }
        for (row, submission, origin) in origins {
            guard let payload = payloads[submission], Self.digest(of: payload) != origin else { continue }
            try run(Cursors.removeRow, row)
        }
    }

    /// Marks a pending request as beginning from the start, and deletes the cursor of its identifier.
    func restart(
        _ submission: SubmissionNumber,
        of plugin: PluginIdentifier,
        _ identifier: TaskIdentifier,
        names: inout PluginNames
    ) throws {
        try dropCursor(of: plugin, identifier, until: nil, names: &names)
        try run(Cursors.beginFromStart, submission.rawValue)
    }

    /// FNV-1a with 64 bits. Payloads with equal digests harm only the plugin that chose them.
    private static func digest(of payload: [UInt8]) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in payload { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }
}
