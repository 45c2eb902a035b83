// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The text of `GET /v1/metrics` in one of its formats. Families are added in the order of `Metric`; a family without
/// samples is left out.
package struct MetricsText: Sendable {
    /// One series of a family: the values of its labels, in the order of `Metric.labels`, and its value.
    package struct Series: Sendable {
        package enum Value: Sendable {
            case number(Double)
            case histogram(MetricHistogram)
        }

        package let labels: [String]
        package let value: Value

        package init(_ labels: [String], _ value: Double) {
            self.labels = labels
            self.value = .number(value)
        }

        package init(_ labels: [String], _ histogram: MetricHistogram) {
            self.labels = labels
            value = .histogram(histogram)
        }

        package init(_ value: Double) { self.init([], value) }
        package init(_ histogram: MetricHistogram) { self.init([], histogram) }
    }

    private let format: MetricsFormat
    private var text = ""

    package init(_ format: MetricsFormat) { self.format = format }

    /// The complete text.
    package var complete: String { format == .openMetrics ? text + "# EOF\n" : text }

    /// Adds a family. The series are sorted by their labels, so that equal states have equal texts.
    package mutating func add(_ metric: Metric, _ series: [Series]) {
        if series.isEmpty { return }
        writeHead(metric)
        for one in series.sorted(by: { $0.labels.lexicographicallyPrecedes($1.labels) }) {
            precondition(one.labels.count == metric.labels.count, "a series has a value for each label")
            let labels = Array(zip(metric.labels, one.labels))
            switch one.value {
            case .number(let value): writeSample(metric.sampleNames[0], labels, Self.number(value))
            case .histogram(let histogram): write(histogram, of: metric, labels)
            }
        }
    }

    private mutating func writeHead(_ metric: Metric) {
        let isOpen = format == .openMetrics
        // Prometheus names a counter with its suffix, and has no type for constant labels.
        let name = isOpen || metric.kind == .histogram ? metric.family : metric.sampleNames[0]
        let kind = !isOpen && metric.kind == .info ? Metric.Kind.gauge : metric.kind
        text += "# HELP \(name) \(metric.help)\n# TYPE \(name) \(kind.rawValue)\n"
        if isOpen, let unit = metric.unit { text += "# UNIT \(name) \(unit)\n" }
    }

    private mutating func write(_ histogram: MetricHistogram, of metric: Metric, _ labels: [(String, String)]) {
        var total: UInt64 = 0
        let bounds = histogram.bounds.values.map(Self.number) + ["+Inf"]
        for (bound, count) in zip(bounds, histogram.counts) {
            total += count
            writeSample("\(metric.family)_bucket", labels + [("le", bound)], "\(total)")
        }
        writeSample("\(metric.family)_sum", labels, Self.number(histogram.sum))
        writeSample("\(metric.family)_count", labels, "\(total)")
    }

    private mutating func writeSample(_ name: String, _ labels: [(String, String)], _ value: String) {
        let list = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        text += list.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
    }

    /// A number without an exponent for whole values, so that counts are readable.
    private static func number(_ value: Double) -> String {
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return "\(whole).0" }
        return "\(value)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
