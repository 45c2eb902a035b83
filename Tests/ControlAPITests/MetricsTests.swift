// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import Testing

@Suite("Metrics are written in the format that a client accepts")
struct MetricsTests {
    @Test(arguments: [
        (nil, MetricsFormat.prometheus), ("", .prometheus), ("*/*", .prometheus), ("application/json", .prometheus),
        ("text/plain", .prometheus), ("application/openmetrics-text", .openMetrics),
        ("application/openmetrics-text; version=1.0.0; charset=utf-8", .openMetrics),
        ("application/openmetrics-text;version=0.0.1", .prometheus),
        ("application/openmetrics-text;q=0.4, text/plain;q=0.5", .prometheus),
        ("APPLICATION/OpenMetrics-Text;version=1.0.0;q=0.5, text/plain;version=0.0.4;q=0.5", .openMetrics),
        ("application/openmetrics-text;q=0", .prometheus), ("application/openmetrics-text;q=x", .prometheus),
        (
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", .openMetrics
        ),
    ])
    func `metrics are written as OpenMetrics exactly when a client names it with at least the quality of plain text`(
        accept: String?,
        format: MetricsFormat
    ) {
        #expect(MetricsFormat(accepting: accept) == format)
    }

    private func text(_ format: MetricsFormat) -> String {
        var histogram = MetricHistogram(.ratios)
        histogram.observe(0.05)
        histogram.observe(0.1)
        histogram.observe(7)
        var text = MetricsText(format)
        text.add(.tasksRunning, [])
        text.add(
            .launches,
            [
                MetricsText.Series(["b.c", "event", "completed"], 2),
                MetricsText.Series(["a\"\\\n", "event", "completed"], 1),
            ]
        )
        text.add(.launchBudgetUsed, [MetricsText.Series(["a.b", "event"], histogram)])
        text.add(.build, [MetricsText.Series(["0.1.0"], 1)])
        return text.complete
    }

    private func buckets(_ counts: [Int]) -> String {
        zip((1...10).map { $0 == 10 ? "1.0" : "0.\($0)" } + ["+Inf"], counts).map { bound, count in
            "bgtask_launch_budget_used_ratio_bucket{plugin=\"a.b\",lane=\"event\",le=\"\(bound)\"} \(count)\n"
        }.joined()
    }

    @Test func `Prometheus text names counters with their suffix, sorts series, and escapes labels`() {
        let expected = """
            # HELP bgtask_launches_total Ended launches.
            # TYPE bgtask_launches_total counter
            bgtask_launches_total{plugin="a\\"\\\\\\n",lane="event",outcome="completed"} 1.0
            bgtask_launches_total{plugin="b.c",lane="event",outcome="completed"} 2.0
            # HELP bgtask_launch_budget_used_ratio \(Metric.launchBudgetUsed.help)
            # TYPE bgtask_launch_budget_used_ratio histogram
            \(buckets([2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3]))bgtask_launch_budget_used_ratio_sum{plugin="a.b",lane="event"} 7.15
            bgtask_launch_budget_used_ratio_count{plugin="a.b",lane="event"} 3
            # HELP bgtask_build_info The release of the host.
            # TYPE bgtask_build_info gauge
            bgtask_build_info{version="0.1.0"} 1.0

            """
        #expect(text(.prometheus) == expected)
    }

    @Test func `OpenMetrics text names families without suffixes, states units, and has an end mark`() {
        let text = text(.openMetrics)
        #expect(text.contains("# TYPE bgtask_launches counter\nbgtask_launches_total{"))
        #expect(text.contains("\n# UNIT bgtask_launch_budget_used_ratio ratio\n"))
        #expect(text.contains("# TYPE bgtask_build info\nbgtask_build_info{version=\"0.1.0\"} 1.0\n"))
        #expect(text.hasSuffix("\n# EOF\n") && !text.dropLast(6).contains("# EOF"))
    }

    @Test func `an observation of a histogram counts in the first bucket that holds it, and a negative one as zero`() {
        var histogram = MetricHistogram(.durations)
        for duration in [-3_600_000, 1, 4, 3_600_000, 700_000_000] { histogram.observe(.milliseconds(duration)) }
        #expect(histogram.counts == [2, 1] + Array(repeating: 0, count: 9) + [1, 0, 0, 1])
        #expect(histogram.sum == 703_600.005)
    }

    @Test func `no metric has a label for identifiers, and the names of metrics are unique`() {
        #expect(Metric.allCases.allSatisfy { !$0.labels.contains("identifier") && !$0.labels.contains("task") })
        let names = Metric.allCases.flatMap(\.sampleNames)
        #expect(Set(names).count == names.count)
    }

    @Test func `every metric in the shipped alert rules exists, with each label that the rule names`() throws {
        let rules = try Repository.text(of: "Packaging/prometheus/bgtask.rules.yaml")
        let names = Set(Metric.allCases.flatMap(\.sampleNames))
        let used = rules.matches(of: /bgtask_[a-z_]+/).map { String($0.0) }
        #expect(used.count > 5)
        for name in used { #expect(names.contains(name), "\(name)") }
        let labels = Set(Metric.allCases.flatMap(\.labels)).union(["instance", "job", "le"])
        for match in rules.matches(of: /\$labels\.([a-z_]+)/) {
            #expect(labels.contains(String(match.1)), "\(match.1)")
        }
        for match in rules.matches(of: /(bgtask_[a-z_]+)\{([a-z]+)=/) {
            let metric = Metric.allCases.first { $0.sampleNames.contains(String(match.1)) }
            #expect(metric?.labels.contains(String(match.2)) == true, "\(match.0)")
        }
    }

    @Test func `Operators.md lists exactly the metrics, with type, labels and meaning`() throws {
        let page = try Repository.text(of: "Documentation/Operators.md")
        let rows = page.matches(of: /\n(\| `bgtask_[^\n]*)/).map { String($0.1) }
        let expected = Metric.allCases.map { metric in
            let name = metric.kind == .histogram ? metric.family : metric.sampleNames[0]
            let labels = metric.labels.isEmpty ? "-" : metric.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(name)` | \(metric.kind.rawValue) | \(labels) | \(metric.help) |"
        }
        #expect(rows == expected)
    }
}

@Suite("Statistics state the median and the 95th percentile by nearest rank")
struct StatsReplyTests {
    @Test(arguments: [
        ([7], 7, 7), ([1, 2], 1, 2), ([3, 1, 2], 2, 3), (Array(1...20), 10, 19), (Array(1...100), 50, 95),
    ])
    func `a percentile of statistics is the value at its nearest rank`(values: [Int], median: Int, p95: Int) throws {
        let found = try #require(StatsReply.Percents(values))
        #expect(found.median == median && found.p95 == p95)
    }

    @Test func `statistics of no values have no percentiles, and statistics without an outcome no success rate`() throws
    {
        #expect(StatsReply.Percents([]) == nil)
        let row = StatsReply.Row(
            plugin: try Samples.plugin(),
            kind: .refresh,
            launches: 1,
            succeeded: 0,
            failed: 0,
            interrupted: 1,
            delay: try #require(StatsReply.Durations([.zero])),
            runTime: nil,
            budgetUsed: nil
        )
        #expect(row.successPercent == nil)
    }
}
