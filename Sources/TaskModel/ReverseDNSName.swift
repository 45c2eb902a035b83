// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The rule for plugin and task identifiers: labels that are joined by dots, case-sensitive, at most 255 bytes.
///
/// The identifier of a plugin has at least two labels. The identifier of a task may have one, because apps of Apple's
/// platforms use such identifiers.
package enum ReverseDNSName {
    package static let maximumLength = 255

    package struct Flaw: Hashable, Sendable {
        /// The violated rule, in words that follow the name: `has no dot`.
        package let problem: String
        package let remedy: String

        /// The flaw to show for a name that was refused although `flaw(in:)` finds no flaw.
        package static let unknown = Flaw(problem: "is not a reverse-DNS name", remedy: "write a reverse-DNS name")

        /// Rule and remedy, as one message.
        package var text: String { "\(problem); \(remedy)" }
    }

    /// The flaw of an invalid name; nil when the name is valid.
    ///
    /// - Parameter allowsOneLabel: whether the name may have no dot, as the identifier of a task.
    package static func flaw(in text: String, allowsOneLabel: Bool = false) -> Flaw? {
        let example = "write a reverse-DNS name such as com.example.app.refresh"
        if text.isEmpty { return Flaw(problem: "is empty", remedy: example) }
        let length = text.utf8.count
        if length > maximumLength {
            return Flaw(problem: "has \(length) bytes, and at most \(maximumLength) are allowed", remedy: "shorten it")
        }
        // One pass without copies of the parts: every submission and every question about a task parses a name.
        var (dots, partLength, hasEmptyPart, hasOtherByte) = (0, 0, false, false)
        for byte in text.utf8 {
            if byte == UInt8(ascii: ".") {
                if partLength == 0 { hasEmptyPart = true }
                (dots, partLength) = (dots + 1, 0)
            } else {
                partLength += 1
                if !isAllowed(byte) { hasOtherByte = true }
            }
        }
        if dots == 0, !allowsOneLabel { return Flaw(problem: "has no dot", remedy: example) }
        if hasEmptyPart || partLength == 0 {
            return Flaw(problem: "has an empty part", remedy: "remove the extra dot")
        }
        if hasOtherByte {
            let problem = "contains a character other than A-Z, a-z, digits, hyphens, underscores and dots"
            return Flaw(problem: problem, remedy: "remove it")
        }
        // Journal and control API show the name of an event at the place of an identifier.
        if dots == 0, EventType.allCases.contains(where: { $0.name == text }) {
            return Flaw(problem: "is the name of an event", remedy: example)
        }
        return nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
