// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/tasks/{identifier}/cursor`: the stored cursor of a task.
package struct TaskCursorReply: Codable, Hashable, Sendable {
    package let identifier: String
    package let plugin: String
    /// Number of bytes.
    package let length: Int
    /// The cursor as lower-case hexadecimal digits; nil for a caller below the role `operate`.
    package let hex: String?
    /// The cursor as text; nil when it is not UTF-8, and for a caller below the role `operate`.
    package let text: String?
    /// Version of the plugin that wrote the cursor; nil when its manifest had none.
    package let version: String?
    package let movedAt: Timestamp
    private let movedAtSecond: CalendarTime
    /// The submission whose task wrote the cursor.
    package let submission: Int64
    /// Number of runs in a row that did not move the cursor.
    package let standstills: Int

    /// - Parameter showsContents: whether the caller may read the bytes of the cursor.
    package init(_ stored: StoredCursor, showsContents: Bool = true) {
        let cursor = stored.cursor
        identifier = stored.identifier.text
        plugin = stored.plugin.text
        length = cursor.bytes.count
        hex = showsContents ? cursor.bytes.map { $0.hexadecimal }.joined() : nil
        text = showsContents ? String(validating: cursor.bytes, as: UTF8.self) : nil
        version = cursor.version.isEmpty ? nil : cursor.version
        movedAt = Timestamp(cursor.movedAt)
        movedAtSecond = CalendarTime(secondOf: movedAt)
        submission = cursor.submission.rawValue
        standstills = cursor.standstills
    }

    private enum CodingKeys: String, CodingKey {
        case identifier, plugin, length, hex, text, version, submission, standstills
        case movedAt = "moved_at_ns"
        case movedAtSecond = "moved_at"
    }
}

extension UInt8 {
    fileprivate var hexadecimal: String {
        let digits = String(self, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
    }
}

/// The answer to `DELETE /v1/tasks/{identifier}/cursor`, sent after the deletion is committed.
package struct TaskCursorClearReply: Codable, Hashable, Sendable {
    package let identifier: String
    package let plugin: String

    package init(_ identifier: TaskIdentifier, of plugin: PluginIdentifier) {
        self.identifier = identifier.text
        self.plugin = plugin.text
    }
}
