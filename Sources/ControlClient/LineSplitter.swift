// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Splits a stream of byte chunks into lines. It does not check the content of the lines.
struct LineSplitter {
    /// Maximum length of a line in bytes. Journal entries are shorter.
    static let longestLine = 1 << 20

    private var unfinished: [UInt8] = []
    private(set) var hasOverflowed = false

    /// Whether the bytes so far end within a line, because its newline has not arrived.
    var holdsUnfinishedLine: Bool { !unfinished.isEmpty }

    /// Appends bytes of the stream, and returns the lines that they complete, without newlines. Empty lines are
    /// omitted.
    mutating func append(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if !unfinished.isEmpty { lines.append(unfinished) }
                unfinished.removeAll(keepingCapacity: true)
            } else if unfinished.count < Self.longestLine {
                unfinished.append(byte)
            } else {
                hasOverflowed = true
            }
        }
        return lines
    }
}
