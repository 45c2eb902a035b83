// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Measuring

/// Isolated launches of plugins that complete their tasks at once: of one task, and of ten. All requests are stored in
/// advance and become eligible at once, when the host assumes external power.
struct Launches {
    private static let plugins = 8
    /// Launches for each second of the run.
    private static let launchesPerSecond = 300

    private let programs: Programs
    private let seconds: Int

    init(_ programs: Programs, seconds: Int) { (self.programs, self.seconds) = (programs, seconds) }

    func measure() throws -> [Figure] {
        let arguments = [programs.bench + "/libNoop.so", "\(seconds)"]
        let output = try Programs.output(of: programs.bench + "/Spawns", arguments)
        let spawns = Calls(lines: output)
        guard let used = output.split(separator: "\n").first.flatMap({ Double($0) }) else {
            throw BenchmarkError("Spawns did not print its processor time")
        }
        let rate = try Figure("a C program: spawn, dlopen, call, reap; 2 at once", .perSecond, spawns.rates())
        let processor = try Figure(
            "a C program: processor time per process",
            .milliseconds,
            single: used / Double(spawns.spans.count) / 1e6
        )
        return try figures(batch: 1, rate, processor) + figures(batch: 10, rate, processor) + [rate, processor]
    }

    private func figures(batch: Int, _ spawns: Figure, _ processor: Figure) throws -> [Figure] {
        let (calls, ticks) = try launches(batch: batch)
        let name = batch == 1 ? "launches of one task" : "launches of \(batch) tasks"
        func perLaunch(_ ticks: Int) -> Double {
            MeasuredHost.milliseconds(ofTicks: ticks) / Double(calls.spans.count)
        }
        let figures = [
            try Figure(name, .perSecond, calls.rates(), limit: spawns),
            try Figure("\(name): processor time of the host", .milliseconds, single: perLaunch(ticks.host)),
            try Figure("\(name): processor time of the runner", .milliseconds, single: perLaunch(ticks.runners)),
            try Figure(
                "\(name): processor time of both",
                .milliseconds,
                single: perLaunch(ticks.host + ticks.runners),
                limit: processor
            ),
        ]
        return batch == 1 ? figures : figures + [try Figure("\(name): tasks", .perSecond, calls.rates(batch))]
    }

    /// Start and end of each launch, as the host recorded them, and the clock ticks of host and runners.
    private func launches(batch: Int) throws -> (Calls, (host: Int, runners: Int)) {
        let directory = try HostDirectory.throughput(
            programs,
            plugins: Self.plugins,
            library: "libNoop.so",
            configuration: ["batch-size: \(batch)"]
        )
        defer { directory.remove() }
        let launches = Self.launchesPerSecond * seconds / Self.plugins * Self.plugins
        let ticks = try directory.withHost(programs) { host, control in
            try store(launches * batch, control)
            let before = (host.processorTicks(), host.runnerTicks())
            let answer = try control.post("/v1/simulate/conditions", #"{"external_power":true}"#)
            guard answer.contains("simulated") else { throw BenchmarkError("refused: \(answer)") }
            try host.waitUntilQuiet(control, pending: true)
            return (host: host.processorTicks() - before.0, runners: host.runnerTicks() - before.1)
        }
        // The launches of the event `started` have no task of this kind.
        let kinds = "SELECT 1 FROM task WHERE task.launch = launch.number AND event_type IS NULL"
        let lines = try directory.query(
            "SELECT started_at, ended_at FROM launch WHERE outcome IS NOT NULL AND EXISTS (\(kinds))"
        )
        let calls = Calls(lines: lines)
        guard calls.spans.count == launches else {
            throw BenchmarkError("\(calls.spans.count) launches for \(launches * batch) tasks; \(launches) expected")
        }
        return (calls, ticks)
    }

    private func store(_ tasks: Int, _ control: Control) throws {
        let requests = (0..<tasks).map {
            Submissions.request("com.example.n\($0 % Self.plugins).job.r\($0)", #""requires_external_power":true"#)
        }
        for start in stride(from: 0, to: tasks, by: 1_000) {
            let answer = try control.post("/v1/tasks/batch", Submissions.batch(Array(requests[start...].prefix(1_000))))
            guard !answer.contains("\"error\"") else { throw BenchmarkError("refused: \(answer.prefix(1_000))") }
        }
    }
}
