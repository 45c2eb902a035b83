// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The rule that plugin and task identifiers share: reverse-DNS, case-sensitive, at most 255 bytes.
package enum ReverseDNSName {
    package static let maximumLength = 255

    /// Why `text` is not such a name, with the remedy; nil when it is one.
    package static func problem(in text: String) -> String? {
        if text.isEmpty { return "is empty; write a reverse-DNS name such as com.example.app.refresh" }
        let length = text.utf8.count
        if length > maximumLength { return "has \(length) bytes; at most \(maximumLength) are allowed, shorten it" }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count < 2 { return "has no dot; write a reverse-DNS name such as com.example.app.refresh" }
        if labels.contains(where: \.isEmpty) { return "has an empty part; remove the extra dot" }
        if !labels.allSatisfy({ $0.allSatisfy(isAllowed) }) {
            return "holds a character other than letters, digits, hyphen, underscore and dot; remove it"
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
