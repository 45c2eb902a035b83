// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Checks the bytes of a YAML file before parsing: they must be text that can be parsed in bounded time.
///
/// The parser resolves aliases before they can be refused, and compares whole keys with each other, so parsing a few
/// lines could take hours. This check is not a parser: it may count too many aliases inside of a text, but never too
/// few.
enum YAMLPrescan {
    /// The maximum number of aliases that the check passes on to the parser, which reports their positions. All aliases
    /// are refused.
    private static let mostAliases = 8
    private static let mostComplexKeys = 8

    /// The bytes as text. When they fail the check, reports a problem and returns nil.
    static func text(of bytes: [UInt8], problems: ProblemCollector) -> String? {
        var bytes = bytes[...]
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes = bytes.dropFirst(3) }
        if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
            problems.report(.notText, "is UTF-16 text", remedy: "save it as UTF-8")
            return nil
        }
        if let place = bytes.firstIndex(where: { $0 < 0x20 && $0 != 0x09 && $0 != 0x0a && $0 != 0x0d || $0 == 0x7f }) {
            let digits = String(bytes[place], radix: 16, uppercase: true)
            let code = String(repeating: "0", count: 4 - digits.count) + digits
            problems.report(
                .notText,
                position: position(of: place, in: bytes),
                "contains the control character U+\(code), like a binary file",
                // The escape of NUL is refused as well.
                remedy: bytes[place] == 0 ? "remove it" : "remove it, or write it as an escape in double quotes"
            )
            return nil
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let repaired = String(decoding: bytes, as: UTF8.self)
            let line = repaired.prefix { $0 != "\u{fffd}" }.utf8.count(where: { $0 == 0x0a }) + 1
            problems.report(
                .notText,
                position: TextPosition(line: line, column: 1),
                "is not UTF-8 text",
                remedy: "save it as UTF-8"
            )
            return nil
        }
        return isBounded(bytes, problems: problems) ? text : nil
    }

    private static func isBounded(_ bytes: ArraySlice<UInt8>, problems: ProblemCollector) -> Bool {
        var aliases = 0
        var complexKeys = 0
        var last = UInt8(ascii: "\n")
        for (index, byte) in zip(bytes.indices, bytes) {
            if beginsToken(after: last) {
                if byte == UInt8(ascii: "*"), index + 1 < bytes.endIndex, isWord(bytes[index + 1]) { aliases += 1 }
                if byte == UInt8(ascii: "?") { complexKeys += 1 }
            }
            last = byte
            if aliases > mostAliases {
                problems.report(
                    .noAliases,
                    position: position(of: index, in: bytes),
                    "contains more than \(mostAliases) words that begin with a star, like aliases",
                    remedy: "write values out instead of aliases, and begin at most \(mostAliases) words with a star,"
                        + " also in comments and inside quoted text"
                )
                return false
            }
            if complexKeys > mostComplexKeys {
                problems.report(
                    .wrongType,
                    position: position(of: index, in: bytes),
                    "contains more than \(mostComplexKeys) words that begin with a question mark, the YAML sign of a"
                        + " list or mapping as a key",
                    remedy: "write keys as plain text, and begin at most \(mostComplexKeys) words with a question mark,"
                        + " also in comments and inside quoted text"
                )
                return false
            }
        }
        return true
    }

    private static func beginsToken(after byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "["),
            UInt8(ascii: "{"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "?"),
            0x80...:
            true
        default: false
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func position(of index: Int, in bytes: ArraySlice<UInt8>) -> TextPosition {
        let before = bytes[..<index]
        let line = before.count(where: { $0 == 0x0a }) + 1
        let start = before.lastIndex(of: 0x0a).map { $0 + 1 } ?? bytes.startIndex
        return TextPosition(
            line: line,
            column: String(decoding: bytes[start..<index], as: UTF8.self).unicodeScalars.count + 1
        )
    }
}
