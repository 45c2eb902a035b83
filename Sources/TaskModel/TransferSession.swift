// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The name by which a plugin groups its transfers: lower-case letters, digits, `-`, `.` and `_`, at most 64 bytes.
package struct TransferSession: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let longest = 64

    package let text: String

    /// Creates a name; nil when `text` violates the rule.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= Self.longest, bytes.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    /// The rule of names, for messages.
    package static let rule = "1 to \(longest) lower-case letters, digits, '-', '.' and '_'"

    package var description: String { text }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }
}
