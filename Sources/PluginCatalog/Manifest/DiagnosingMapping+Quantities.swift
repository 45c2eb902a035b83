// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension DiagnosingMapping {
    /// A whole number and a unit: `500ms`, `30s`, `10min`, `2h`, `1d`.
    package func duration(_ name: String, in range: ClosedRange<Duration>? = nil) -> Field<Duration>? {
        quantity(name, units: Quantity.durations, expected: "a duration", example: "30s").flatMap { field, found in
            let duration = Duration.milliseconds(found)
            guard let range, !range.contains(duration) else { return at(field, duration) }
            return outside(
                field,
                shown: Quantity.text(found, units: Quantity.durations),
                least: Quantity.text(range.lowerBound.wholeMilliseconds, units: Quantity.durations),
                most: Quantity.text(range.upperBound.wholeMilliseconds, units: Quantity.durations)
            )
        }
    }

    /// A whole number and a binary unit: `512B`, `64KiB`, `256MiB`, `2GiB`; the value is in bytes.
    package func byteSize(_ name: String, in range: ClosedRange<Int64>? = nil) -> Field<Int64>? {
        quantity(name, units: Quantity.byteSizes, expected: "a size", example: "256MiB").flatMap { field, found in
            guard let range, !range.contains(found) else { return at(field, found) }
            return outside(
                field,
                shown: Quantity.text(found, units: Quantity.byteSizes),
                least: Quantity.text(range.lowerBound, units: Quantity.byteSizes),
                most: Quantity.text(range.upperBound, units: Quantity.byteSizes)
            )
        }
    }

    private func quantity(
        _ name: String,
        units: [Quantity.Unit],
        expected: String,
        example: String
    ) -> (Field<YAMLNode>, Int64)? {
        guard let field = node(name) else { return nil }
        if case .text(let text, _) = field.value.content, let value = Quantity.value(of: text, units: units) {
            return (field, value)
        }
        let words = units.map(\.word).joined(separator: ", ")
        let _: Field<Int64>? = mismatch(
            field,
            expected: expected,
            remedy: "write a whole number and one of \(words), such as \(example)"
        )
        return nil
    }
}

/// A number with its unit, as people write it.
enum Quantity {
    struct Unit {
        let word: String
        let size: Int64
    }

    /// In milliseconds.
    static let durations = [
        Unit(word: "ms", size: 1), Unit(word: "s", size: 1_000), Unit(word: "min", size: 60_000),
        Unit(word: "h", size: 3_600_000), Unit(word: "d", size: 86_400_000),
    ]

    /// In bytes.
    static let byteSizes = [
        Unit(word: "B", size: 1), Unit(word: "KiB", size: 1 << 10), Unit(word: "MiB", size: 1 << 20),
        Unit(word: "GiB", size: 1 << 30), Unit(word: "TiB", size: 1 << 40),
    ]

    /// Nil when the text is something else, or more than 64 bits hold.
    static func value(of text: String, units: [Unit]) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let word = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Int64(digits), let unit = units.first(where: { $0.word == word }) else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: unit.size)
        return overflow ? nil : value
    }

    static func text(_ value: Int64, units: [Unit]) -> String {
        let unit = units.last { value != 0 && value % $0.size == 0 } ?? units[0]
        return "\(value / unit.size)\(unit.word)"
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000_000_000
    }
}
