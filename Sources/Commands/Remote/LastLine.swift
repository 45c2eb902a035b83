// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskModel

/// The last line of a stream: the cause that `ssh` prints for its failure.
final class LastLine: Sendable {
    /// Maximum number of bytes of a line; the line ends with the last ones.
    private static let limit = 1_000

    private struct Lines {
        var last: [UInt8] = []
        var unfinished: [UInt8] = []
    }

    private let lines = Mutex(Lines())

    func add(_ bytes: [UInt8]) {
        lines.withLock { lines in
            for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
                if line.offset > 0 { Self.finish(&lines) }
                lines.unfinished = (lines.unfinished + line.element).suffix(Self.limit)
            }
        }
    }

    /// The last line that is not empty, without control characters; nil without one.
    var text: String? {
        let bytes = lines.withLock { lines in
            if Self.hasText(lines.unfinished) { lines.unfinished } else { lines.last }
        }
        return bytes.isEmpty ? nil : String(decoding: Self.trimmed(bytes), as: UTF8.self).inQuotes
    }

    private static func finish(_ lines: inout Lines) {
        if hasText(lines.unfinished) { lines.last = lines.unfinished }
        lines.unfinished = []
    }

    private static func hasText(_ line: [UInt8]) -> Bool { !trimmed(line).isEmpty }

    /// `ssh` ends its lines with a carriage return and a line feed.
    private static func trimmed(_ line: [UInt8]) -> [UInt8] { line.filter { $0 != UInt8(ascii: "\r") } }
}
