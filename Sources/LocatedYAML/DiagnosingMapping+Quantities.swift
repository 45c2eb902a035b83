// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import TaskModel

extension DiagnosingMapping {
    /// Reads a duration in the notation of whole numbers and units: `500ms`, `30s`, `1h30min`, `1d`. Nil when the
    /// key is missing or its value was reported as invalid.
    package func duration(_ name: String, in range: ClosedRange<Duration>? = nil) -> Field<Duration>? {
        quantity(name, .durations, in: range.map { $0.lowerBound.wholeMilliseconds...$0.upperBound.wholeMilliseconds })
            .map { $0.map { .milliseconds($0) } }
    }

    /// Reads a size in bytes, in the notation of a whole number and a binary unit: `512B`, `64KiB`, `256MiB`, `2GiB`.
    /// Nil when the key is missing or its value was reported as invalid.
    package func byteSize(_ name: String, in range: ClosedRange<Int64>? = nil) -> Field<Int64>? {
        quantity(name, .sizes, in: range)
    }

    private func quantity(_ name: String, _ measure: Measure, in range: ClosedRange<Int64>?) -> Field<Int64>? {
        guard let field = node(name) else { return nil }
        guard case .text(let text, _) = field.value.content, !field.value.isNothing else {
            return mismatch(field, expected: measure.description(of: range), remedy: measure.remedy(in: range))
        }
        switch measure.reading(of: text) {
        case .value(let value) where (range ?? 0...Int64.max).contains(value): return at(field, value)
        case .value, .tooLarge:
            let least = measure.text(range?.lowerBound ?? 0)
            guard let range else {
                return outside(field, shown: text, rule: "not between \(least) and \(measure.text(.max))")
            }
            return outside(field, shown: text, least: least, most: measure.text(range.upperBound))
        case .flawed(let flaw, let remedy):
            let rule = measure.description(of: range)
            problems.report(
                .wrongType,
                at: at(field, ()),
                "is \(text.inQuotes), " + (flaw.map { "\($0); \(rule) is required" } ?? "not \(rule)"),
                remedy: remedy ?? measure.remedy(in: range)
            )
            return nil
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000_000_000
    }
}
