// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// A hundred launches whose budgets end at almost the same time: the time from each deadline to the first instruction
/// of the plugin's expiration handler, and the lateness of a plain timer in the same period.
struct Expirations {
    private static let launches = 100
    private static let budget = 4

    private let programs: Programs

    init(_ programs: Programs) { self.programs = programs }

    func measure() throws -> [Figure] {
        let directory = try HostDirectory.throughput(
            programs,
            plugins: Self.launches,
            library: "libExpires.so",
            policy: ", budgets: { processing: \(Self.budget)s }",
            configuration: ["launches: { background: \(Self.launches) }"]
        )
        defer { directory.remove() }
        let timers = try directory.withHost(programs) { host, control in
            let timers = try Programs.start(programs.bench + "/Timers", ["\(3 * Self.budget)"])
            for plugin in 0..<Self.launches {
                let body = #"{"identifier":"com.example.n\#(plugin).job.one","kind":"processing"}"#
                let answer = try control.post("/v1/tasks", body)
                guard answer.contains("submission") else { throw BenchmarkError("refused: \(answer)") }
            }
            try host.waitUntilQuiet(control, pending: true)
            return Calls(lines: try timers())
        }
        return try figures(Calls(lines: records(directory).joined()), timers, directory)
    }

    private func figures(_ expirations: Calls, _ timers: Calls, _ directory: HostDirectory) throws -> [Figure] {
        let deadlines = expirations.spans.map(\.start)
        guard let first = deadlines.min(), let last = deadlines.max() else { throw BenchmarkError("no expiration") }
        var beside = Calls()
        for timer in timers.spans where timer.start >= first - 10_000_000 && timer.start <= last + 10_000_000 {
            beside.add(timer.start, timer.end)
        }
        let timer = try Figure("a C program: lateness of a timer meanwhile", .milliseconds, beside.times)
        let ended = try ["expired", "overran"].map { outcome in
            Double(try directory.query("SELECT count(*) FROM launch WHERE outcome = '\(outcome)'")) ?? 0
        }
        return [
            try Figure(
                "deadline to expiration handler, \(Self.launches) launches",
                .milliseconds,
                expirations.times,
                limit: timer
            ),
            timer,
            try Figure("first deadline to last deadline", .milliseconds, single: Double(last - first) / 1e6),
            try Figure("launches that completed within the grace period", .number, single: ended[0]),
            try Figure("launches that were killed after it", .number, single: ended[1]),
        ]
    }

    /// The deadline and the time of the expiration handler of each expired launch, as lines.
    private func records(_ directory: HostDirectory) -> [String] {
        (0..<Self.launches).compactMap {
            try? String(contentsOfFile: directory.container("com.example.n\($0)", "expiration"), encoding: .utf8)
        }.filter { $0.hasSuffix("\n") }
    }
}
