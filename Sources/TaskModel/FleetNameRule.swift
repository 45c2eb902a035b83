// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The rule of the names of hosts, groups and leases: 1 to 63 lower-case letters, digits, hyphens and dots. The first
/// and the last character is a letter or a digit.
package enum FleetNameRule {
    package static let maximumLength = 63

    /// The violated rule and its remedy, in words that follow the name; nil for a valid name.
    package static func flaw(in text: String) -> String? {
        if text.isEmpty { return "is empty; write a name such as web-1" }
        let length = text.utf8.count
        if length > maximumLength { return "has \(length) bytes, and at most \(maximumLength) are allowed; shorten it" }
        guard text.utf8.allSatisfy({ isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") })
        else { return "contains a character other than a-z, digits, hyphens and dots; remove it" }
        guard let first = text.utf8.first, let last = text.utf8.last, isAlphanumeric(first), isAlphanumeric(last)
        else { return "begins or ends with a hyphen or a dot; remove it" }
        return nil
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
