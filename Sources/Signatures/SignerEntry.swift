// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc

/// One entry of a signers file: a key, the plugins for which it signs, and the time of its validity.
package struct SignerEntry: Hashable, Sendable {
    /// A time in the file, with its notation.
    package struct Time: Hashable, Sendable {
        package let text: String
        /// Seconds since 1970.
        package let seconds: Int64
    }

    /// The reason why a line is no usable entry.
    struct Flaw: Error {
        let message: String
        let remedy: String
    }

    /// Number of the line in the file, from 1.
    package let line: Int
    /// Patterns of plugin identifiers.
    package let principals: PatternList
    /// Patterns of namespaces; nil for all.
    package let namespaces: PatternList?
    package let validAfter: Time?
    package let validBefore: Time?
    package let key: PublicKey
    /// Text behind the key; empty without one.
    package let comment: String

    /// Whether the entry is valid at a time in seconds since 1970.
    package func isValid(at now: Int64) -> Bool {
        (validAfter.map { now >= $0.seconds } ?? true) && (validBefore.map { now <= $0.seconds } ?? true)
    }

    /// Parses one line; nil for a comment and an empty line.
    init?(line: String, number: Int) throws(Flaw) {
        var words = Words(line)
        guard let first = try words.next(), !first.hasPrefix("#") else { return nil }
        principals = PatternList(Self.withoutQuotes(first))
        var options = Options()
        guard var word = try words.next() else { throw Self.missingKey }
        if !Self.isKeyType(word) {
            options = try Options(word)
            guard let next = try words.next() else { throw Self.missingKey }
            word = next
        }
        guard let base64 = try words.next() else { throw Self.missingKey }
        do throws(SignatureProblem) {
            key = try PublicKey(type: Substring(word), base64: Substring(base64))
        } catch {
            throw Flaw(
                message: "the entry \(error.message)",
                remedy: "copy the key type and the key from the public key file (.pub)"
            )
        }
        if !key.isSupported {
            throw Flaw(
                message: "the entry \(SignatureProblem.unsupportedKey(key.type).message)",
                remedy: SignatureProblem.unsupportedKeyRemedy
            )
        }
        self.line = number
        comment = words.rest
        (namespaces, validAfter, validBefore) = (options.namespaces, options.validAfter, options.validBefore)
        if let after = validAfter, let before = validBefore, before.seconds <= after.seconds {
            throw Flaw(message: "valid-before is not later than valid-after", remedy: "correct one of the two times")
        }
    }

    private static let missingKey = Flaw(
        message: "the entry has no key",
        remedy: "write: PATTERNS [OPTIONS] KEY-TYPE KEY [COMMENT]"
    )

    static func isKeyType(_ word: String) -> Bool {
        ["ssh-", "ecdsa-", "sk-ssh-", "sk-ecdsa-", "rsa-"].contains { word.hasPrefix($0) }
    }

    static func withoutQuotes(_ text: String) -> String {
        text.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"") ? String(text.dropFirst().dropLast()) : text
    }
}

/// The words of a line, separated by spaces and tabs outside of double quotes.
private struct Words {
    private var text: Substring

    init(_ line: String) { text = line.last == "\r" ? line.dropLast() : line[...] }

    /// The text behind the words that were read.
    var rest: String {
        let start = text.drop(while: Self.isSpace)
        let end = start.lastIndex { !Self.isSpace($0) }
        return end.map { String(start[...$0]) } ?? ""
    }

    mutating func next() throws(SignerEntry.Flaw) -> String? {
        text = text.drop(while: Self.isSpace)
        if text.isEmpty { return nil }
        var isQuoted = false
        var end = text.startIndex
        while end < text.endIndex, isQuoted || !Self.isSpace(text[end]) {
            if text[end] == "\"" { isQuoted.toggle() }
            end = text.index(after: end)
        }
        if isQuoted {
            throw SignerEntry.Flaw(message: "a quotation mark is not closed", remedy: "close it, on the same line")
        }
        defer { text = text[end...] }
        return String(text[..<end])
    }

    private static func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
}

/// The options of an entry: `namespaces`, `valid-after` and `valid-before`.
private struct Options {
    var namespaces: PatternList?
    var validAfter: SignerEntry.Time?
    var validBefore: SignerEntry.Time?

    init() {}

    init(_ text: String) throws(SignerEntry.Flaw) {
        for option in Self.parts(of: text) {
            let name = option.prefix { $0 != "=" }.lowercased()
            let value = SignerEntry.withoutQuotes(String(option.dropFirst(name.count + 1)))
            switch name {
            case "namespaces" where namespaces == nil && !value.isEmpty: namespaces = PatternList(value)
            case "valid-after" where validAfter == nil: validAfter = try Self.time(value)
            case "valid-before" where validBefore == nil: validBefore = try Self.time(value)
            case "cert-authority":
                throw SignerEntry.Flaw(
                    message: "the option cert-authority is not supported: certificates are refused",
                    remedy: "write an entry for each signing key"
                )
            case "namespaces", "valid-after", "valid-before":
                throw SignerEntry.Flaw(
                    message: "the option \(name) is empty or written twice",
                    remedy: "write it once, with a value in quotation marks"
                )
            default:
                throw SignerEntry.Flaw(
                    message: "\(name) is neither a key type nor an option",
                    remedy: "write namespaces=\"...\", valid-after=\"...\" or valid-before=\"...\", or remove it;"
                        + " separate patterns by commas without spaces"
                )
            }
        }
    }

    /// Splits at commas outside of double quotes.
    private static func parts(of text: String) -> [String] {
        var parts = [""]
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts
    }

    /// Parses YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS: in local time, or in UTC with a Z at the end.
    private static func time(_ text: String) throws(SignerEntry.Flaw) -> SignerEntry.Time {
        let isUniversal = text.hasSuffix("Z") || text.hasSuffix("z")
        let digits = Array((isUniversal ? text.dropLast() : text[...]).utf8).map { Int32($0) - 48 }
        guard [8, 12, 14].contains(digits.count), digits.allSatisfy({ (0...9).contains($0) }) else {
            throw flaw(text)
        }
        func number(_ start: Int, _ count: Int) -> Int32 {
            start + count > digits.count ? 0 : digits[start..<start + count].reduce(0) { $0 * 10 + $1 }
        }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (number(0, 4) - 1900, number(4, 2) - 1, number(6, 2))
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(8, 2), number(10, 2), number(12, 2))
        parts.tm_isdst = -1
        let isInRange =
            (0...11).contains(parts.tm_mon) && (1...31).contains(parts.tm_mday) && parts.tm_hour < 24
            && parts.tm_min < 60 && parts.tm_sec < 61
        let day = parts.tm_mday
        let seconds = isUniversal ? timegm(&parts) : mktime(&parts)
        // A day that the month lacks has become one of the next month.
        guard isInRange, seconds > 0, parts.tm_mday == day else { throw flaw(text) }
        return SignerEntry.Time(text: text, seconds: Int64(seconds))
    }

    private static func flaw(_ text: String) -> SignerEntry.Flaw {
        SignerEntry.Flaw(
            message: "\"\(text)\" is no time",
            remedy: "write an existing time as YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, with Z for UTC"
        )
    }
}
