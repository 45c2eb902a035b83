// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import TaskModel
import Testing

@testable import Replay

@Suite("Problems in traces and populations are reported like those in manifests")
struct ReplayFileTests {
    @Test(arguments: ShippedFiles.traces)
    func `each shipped trace is valid and contains times at which the machine is in use`(name: String) {
        let document = ConditionTrace.decode(path: ShippedFiles.path(name))
        #expect(document.problems.isEmpty)
        #expect(document.value?.use.active.isEmpty == false)
    }

    @Test func `the shipped population of six plugins is valid`() throws {
        let document = PluginPopulation.decode(path: ShippedFiles.path("plugins.yaml"))
        #expect(document.problems.isEmpty)
        #expect(try #require(document.value).plugins.count == 6)
    }

    @Test(arguments: [
        ("trace: 2", "trace.yaml:1:8: trace: is 2, which is not 1; write 1"),
        ("name: x", "trace.yaml:1:1: trace: is missing; write trace: 1, the version of this format"),
        ("trace: 1\nspans: { netwrok: [] }", "trace.yaml:2:10: spans.netwrok: is not a known key"),
        (
            "trace: 1\nspans:\n  idle: [mon-fri 9:00-17:00]",
            "trace.yaml:3:10: spans.idle[0]: is \"mon-fri 9:00-17:00\", which is not a weekly range of times"
        ),
        (
            "trace: 1\nspans: { idle: [\"mon\\e\"] }",
            "spans.idle[0]: is \"mon\\u{1b}\", which is not a weekly range of times"
        ),
        (
            "trace: 1\nconditions: { hot: true }\nspans: { hot: [\"10:00-11:00\"] }",
            "trace.yaml:3:15: spans.hot: is also set under conditions, for the whole time of the trace"
        ),
        ("trace: 1\nuse: { triggers: 5 }", "use.active: is missing"),
        ("trace: 1\njitter: 9h", "trace.yaml:2:9: jitter: is 9h, which is not between 0ms and 4h"),
    ])
    func `a problem in a trace is reported with the key and the violated rule`(text: String, start: String) {
        let problems = ConditionTrace.decode(text: text).errors.map(\.description)
        #expect(problems.contains { $0.contains(start) }, "\(problems)")
    }

    @Test(arguments: [
        ("takes: { typical: 1s }", "tasks.com.example.app.a.kind: is missing"),
        ("kind: refrsh, takes: { typical: 1s }", "kind: is \"refrsh\", which is not one of refresh"),
        ("kind: refresh", "takes: is missing; write takes: { least: 1s"),
        ("kind: refresh, takes: { least: 5s, typical: 1s }", "takes.least: is 5s, which contradicts the typical 1s"),
        (
            "kind: refresh, takes: { typical: 1s }, needs: [power]",
            "needs[0]: is \"power\", which is not a requirement of a request"
        ),
        ("kind: refresh, takes: { typical: 1s }, fails: 60, overruns: 50", "are 110 percent together"),
    ])
    func `an invalid task in a population is reported with the violated rule`(task: String, part: String) {
        let text = """
            population: 1
            plugins:
              com.example.app:
                tasks: { com.example.app.a: { \(task) } }
            """
        let problems = PluginPopulation.decode(text: text).errors.map(\.description)
        #expect(problems.contains { $0.contains(part) }, "\(problems)")
    }

    @Test func `a population with one task identifier in two plugins is refused`() {
        let task = "{ tasks: { com.example.a.x: { kind: refresh, takes: { typical: 1s } } } }"
        let text = "population: 1\nplugins:\n  com.example.a: \(task)\n  com.example.b: \(task)"
        let problems = PluginPopulation.decode(text: text).errors
        #expect(problems.map(\.rule) == [.repeatedValue])
        #expect(problems.first?.line == 4)
    }

    @Test(arguments: [
        ("mon-fri 09:00-17:30", [0, 1, 2, 3, 4], 540, 1_050),
        ("22:00-06:30", [0, 1, 2, 3, 4, 5, 6], 1_320, 1_830),
        ("fri-mon 00:00-24:00", [4, 5, 6, 0], 0, 1_440),
        ("sat,sun 10:00-10:00", [5, 6], 600, 2_040),
    ])
    func `a weekly span such as mon-fri 09:00-17:30 is parsed from days and a time range`(
        text: String,
        days: [Int],
        start: Int,
        end: Int
    ) {
        #expect(WeekSpan(text) == WeekSpan(days: Set(days), startMinute: start, endMinute: end))
    }

    @Test(arguments: ["", "mon", "9:00-10:00", "mon-xyz 09:00-10:00", "09:00-24:30", "24:00-01:00", "a b 09:00-10:00"])
    func `a text that is not a span of a week is refused`(text: String) { #expect(WeekSpan(text) == nil) }
}
