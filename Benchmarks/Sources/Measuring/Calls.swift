// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Start and end of each of many operations, in nanoseconds of one clock.
package struct Calls: Sendable {
    package private(set) var spans: [(start: Int64, end: Int64)] = []

    package init() {}

    /// Reads the lines with two numbers of a program's output.
    package init(lines: String) {
        for line in lines.split(separator: "\n") {
            let numbers = line.split { $0 == " " || $0 == "|" }.compactMap { Int64($0) }
            if numbers.count == 2 { add(numbers[0], numbers[1]) }
        }
    }

    package mutating func add(_ start: Int64, _ end: Int64) { spans.append((start, end)) }
    package mutating func add(_ others: Calls) { spans += others.spans }

    package var times: Distribution { Distribution(spans.map { $0.end - $0.start }) }

    /// Time from the first start to the last end, in nanoseconds.
    package var duration: Int64 { (spans.map(\.end).max() ?? 0) - (spans.map(\.start).min() ?? 0) }

    /// Items per second in each tenth of the duration.
    ///
    /// - Parameter items: number of items of one operation.
    package func rates(_ items: Int = 1) -> Distribution {
        let (parts, start, duration) = (10, spans.map(\.start).min() ?? 0, max(1, duration))
        var counts = [Int](repeating: 0, count: spans.isEmpty ? 0 : parts)
        for span in spans { counts[min(parts - 1, Int(span.end - start) * parts / Int(duration))] += items }
        return Distribution(values: counts.map { Double($0 * parts) / Double(duration) * 1e9 })
    }
}
