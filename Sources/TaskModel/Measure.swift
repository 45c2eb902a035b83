// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The notation of one kind of quantity: numbers with units. The only reader of durations and sizes in files,
/// flags and calls; the caller provides keys and ranges.
package struct Measure: Sendable {
    struct Unit: Sendable {
        let word: String
        /// Size of the unit, as a multiple of the smallest unit of the quantity.
        let size: Int64
        /// Other common notations of the unit, in lower case.
        let otherWords: [String]
    }

    package enum Reading: Equatable {
        /// A valid quantity, in the smallest unit.
        case value(Int64)
        /// The value exceeds 64 bits, in either direction.
        case tooLarge
        /// The text is invalid. The values are a description of the flaw and its remedy; each is nil when there is
        /// none.
        case flawed(String?, remedy: String?)
    }

    let name: String
    let example: String
    /// The units of the quantity, in ascending order of size.
    let units: [Unit]
    /// Whether a quantity may have several parts, which are added, as in `1h30min`.
    let hasSeveralParts: Bool
    /// Whether the other notations of units, and fractions such as `1.5h`, are read. Otherwise they are rejected, with
    /// the correct notation as remedy.
    let acceptsOtherNotations: Bool

    /// Durations in milliseconds, in the notations of systemd, such as `1h30min`, and of Go, such as `1h30m` and `1.5h`.
    package static let durations = Measure(
        name: "a duration",
        example: "30s",
        units: [
            Unit(word: "ms", size: 1, otherWords: ["msec", "msecs", "millisecond", "milliseconds"]),
            Unit(word: "s", size: 1_000, otherWords: ["sec", "secs", "second", "seconds"]),
            Unit(word: "min", size: 60_000, otherWords: ["m", "mins", "minute", "minutes"]),
            Unit(word: "h", size: 3_600_000, otherWords: ["hr", "hrs", "hour", "hours"]),
            Unit(word: "d", size: 86_400_000, otherWords: ["day", "days"]),
        ],
        hasSeveralParts: true,
        acceptsOtherNotations: true
    )

    /// Sizes in bytes.
    package static let sizes = Measure(
        name: "a size",
        example: "256MiB",
        units: [
            Unit(word: "B", size: 1, otherWords: ["b", "byte", "bytes"]),
            Unit(word: "KiB", size: 1 << 10, otherWords: ["k", "kb", "kib"]),
            Unit(word: "MiB", size: 1 << 20, otherWords: ["m", "mb", "mib"]),
            Unit(word: "GiB", size: 1 << 30, otherWords: ["g", "gb", "gib"]),
            Unit(word: "TiB", size: 1 << 40, otherWords: ["t", "tb", "tib"]),
        ],
        hasSeveralParts: false,
        acceptsOtherNotations: false
    )

    // MARK: Descriptions

    /// The notation of a value, in the largest unit in which it is a whole number.
    package func text(_ value: Int64) -> String {
        let unit = units.last { value != 0 && value % $0.size == 0 } ?? units[0]
        return "\(value / unit.size)\(unit.word)"
    }

    /// The quantity with its range, for messages: `a duration from 1ms to 7d`.
    package func description(of range: ClosedRange<Int64>?) -> String {
        range.map { "\(name) from \(text($0.lowerBound)) to \(text($0.upperBound))" } ?? name
    }

    package func remedy(in range: ClosedRange<Int64>?) -> String {
        "write a whole number and one of the units \(words), such as \(example(in: range))"
    }

    /// The units, as `ms, s, min, h, d`.
    package var words: String { units.map(\.word).joined(separator: ", ") }

    private func example(in range: ClosedRange<Int64>?) -> String {
        guard let range, case .value(let value) = reading(of: example), !range.contains(value) else { return example }
        return text(range.upperBound)
    }

    // MARK: Reading

    package func reading(of text: String) -> Reading {
        let isNegative = text.hasPrefix("-")
        guard let parts = Part.all(in: text.dropFirst(isNegative ? 1 : 0)) else { return .flawed(nil, remedy: nil) }
        var total: Int64 = 0
        for part in parts {
            guard let unit = unit(named: part.unit) else { return unknown(part, of: parts) }
            guard let value = part.value(in: unit) else {
                return part.fraction.isEmpty || part.isTooLarge(in: unit)
                    ? .tooLarge
                    : .flawed(
                        "which has a fraction",
                        remedy: unit.word == units[0].word
                            ? "write a whole number" : "write a whole number in a smaller unit"
                    )
            }
            let (sum, isTooLarge) = total.addingReportingOverflow(isNegative ? -value : value)
            if isTooLarge { return .tooLarge }
            total = sum
        }
        if parts.count > 1, !hasSeveralParts {
            return .flawed("which has more than one unit", remedy: "write \(self.text(total))")
        }
        if !acceptsOtherNotations, parts.contains(where: { !$0.fraction.isEmpty }) {
            return .flawed("which has a fraction", remedy: "write \(self.text(total))")
        }
        return .value(total)
    }

    private func unknown(_ part: Part, of parts: [Part]) -> Reading {
        if part.unit.isEmpty {
            return .flawed("which has no unit", remedy: "add one of the units \(words), such as \(example)")
        }
        let corrected = parts.compactMap { part in unit(meantBy: part.unit).map { "\(part.number)\($0.word)" } }
        let flaw = "whose unit \"\(part.unit)\" is not one of \(words)"
        guard corrected.count == parts.count else { return .flawed(flaw, remedy: nil) }
        let text = corrected.joined()
        // The text with correct units may have another flaw, such as a fraction.
        if case .flawed(_, let remedy?) = reading(of: text) { return .flawed(flaw, remedy: remedy) }
        return .flawed(flaw, remedy: "write \(text)")
    }

    private func unit(named word: Substring) -> Unit? {
        units.first { $0.word == word || acceptsOtherNotations && $0.otherWords.contains(String(word)) }
    }

    private func unit(meantBy word: Substring) -> Unit? {
        let word = word.lowercased()
        return units.first { $0.otherWords.contains(word) || $0.word.lowercased() == word }
    }

    /// One number with its unit.
    private struct Part {
        let digits: Substring
        /// Digits after a point or a comma; empty without a fraction.
        let fraction: Substring
        let unit: Substring

        var number: String { fraction.isEmpty ? String(digits) : "\(digits).\(fraction)" }

        /// The numbers in the text with their units; nil when the text is not a sequence of numbers. The unit is empty
        /// where it is missing.
        static func all(in text: Substring) -> [Part]? {
            var parts: [Part] = []
            var rest = text
            while !rest.isEmpty || parts.isEmpty {
                guard let digits = rest.takeDigits() else { return nil }
                var fraction: Substring = ""
                if rest.first == "." || rest.first == "," {
                    rest.removeFirst()
                    guard let found = rest.takeDigits() else { return nil }
                    fraction = found
                }
                rest = rest.drop { $0 == " " }
                let unit = rest.prefix(while: \.isLetter)
                rest = rest.dropFirst(unit.count).drop { $0 == " " }
                parts.append(Part(digits: digits, fraction: fraction, unit: unit))
            }
            return parts
        }

        /// Whether the part without its fraction exceeds 64 bits.
        func isTooLarge(in unit: Unit) -> Bool {
            Int64(digits).map { $0.multipliedReportingOverflow(by: unit.size).overflow } ?? true
        }

        /// The value of the part in the smallest unit; nil when it is too large, is not a whole number, or has a
        /// fraction of more than six digits.
        func value(in unit: Unit) -> Int64? {
            guard let whole = Int64(digits) else { return nil }
            let (value, isTooLarge) = whole.multipliedReportingOverflow(by: unit.size)
            if isTooLarge || fraction.isEmpty { return isTooLarge ? nil : value }
            guard fraction.count <= 6, let numerator = Int64(fraction) else { return nil }
            let denominator = (0..<fraction.count).reduce(Int64(1)) { power, _ in power * 10 }
            let (product, overflow) = numerator.multipliedReportingOverflow(by: unit.size)
            guard !overflow, product % denominator == 0 else { return nil }
            let (sum, isTooMuch) = value.addingReportingOverflow(product / denominator)
            return isTooMuch ? nil : sum
        }
    }
}

extension Substring {
    fileprivate mutating func takeDigits() -> Substring? {
        let digits = prefix { $0.isASCII && $0.isNumber }
        self = dropFirst(digits.count)
        return digits.isEmpty ? nil : digits
    }
}
