// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The cursor of a task without its contents, in the descriptions of tasks.
package struct CursorSummary: Codable, Hashable, Sendable {
    /// Number of bytes.
    package let length: Int
    /// Version of the plugin that wrote the cursor; nil when its manifest had none.
    package let version: String?
    package let movedAt: Timestamp
    private let movedAtSecond: CalendarTime
    /// The submission whose task wrote the cursor.
    package let submission: Int64
    /// Number of runs in a row that did not move the cursor.
    package let standstills: Int

    package init(_ cursor: TaskCursor) {
        length = cursor.bytes.count
        version = cursor.version.isEmpty ? nil : cursor.version
        movedAt = Timestamp(cursor.movedAt)
        movedAtSecond = CalendarTime(secondOf: movedAt)
        submission = cursor.submission.rawValue
        standstills = cursor.standstills
    }

    private enum CodingKeys: String, CodingKey {
        case length, version, submission, standstills
        case movedAt = "moved_at_ns"
        case movedAtSecond = "moved_at"
    }
}
