// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// Durable submissions per second, isolated launches per second, the accuracy of expirations, and an idle host; beside
/// them the limits of the machine, by small C programs of Benchmarks/Plugins in the same run. Each part writes a run.
/// `Throughput PROGRAMS BENCH [SECONDS [submissions|launches|expirations|idleness]]`
@main
struct Throughput {
    static func main() {
        BenchmarkError.exiting { try run() }
    }

    private static func run() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { throw BenchmarkError("usage: Throughput PROGRAMS BENCH [SECONDS [PART]]") }
        let programs = Programs(host: arguments[1], bench: arguments[2])
        let seconds = arguments.count > 3 ? Int(arguments[3]) ?? 10 : 10
        guard seconds > 0 else { throw BenchmarkError("SECONDS is \(seconds); at least 1") }
        let parts: [(name: String, title: String, measure: () throws -> [Figure])] = [
            ("submissions", "Durable submissions", { try Durability(programs, seconds: seconds).measure() }),
            ("launches", "Isolated launches", { try Launches(programs, seconds: seconds).measure() }),
            ("expirations", "Expirations", { try Expirations(programs).measure() }),
            ("idleness", "An idle host", { try Idleness(programs, seconds: 6 * seconds).measure() }),
        ]
        let chosen = parts.enumerated().filter { arguments.count < 5 || $0.element.name == arguments[4] }
        guard !chosen.isEmpty else { throw BenchmarkError("there is no part \(arguments[4])") }
        for (index, part) in chosen {
            print("\(part.title): median / p99 / max")
            let figures = try part.measure()
            for figure in figures { print(figure.line) }
            try Run(part.title, figures).write("\(index + 2)-\(part.name)", programs)
        }
    }
}

extension HostDirectory {
    /// The directory of a host with the plugins `com.example.n0` and so on, which share one library. Neither conditions
    /// nor policies delay a launch. Below BENCH, whose disk the C programs use as well.
    static func throughput(
        _ programs: Programs,
        plugins: Int,
        library: String,
        policy: String = "",
        configuration: [String]
    ) throws -> HostDirectory {
        let lines = [
            "spacing: 0ms", "limits: { processing: 1000000 }",
            "conditions: { external-power: false, network: true, idle: true, high-load: false, low-memory: false,"
                + " hot: false, battery-low: false, power-saver: false, metered: false, gpu: false }",
            "policies: { off: [use, spacing, day-budget, stagger, idle, load], overrun-spacing: 0ms }",
        ]
        let permissions =
            ["plugins:"]
            + (0..<plugins).map { "  com.example.n\($0): { patterns-for-processing: true\(policy) }" }
        let directory = try HostDirectory(
            programs.bench + "/throughput",
            configuration: lines + configuration + permissions
        )
        try directory.install(library: "\(programs.bench)/\(library)")
        for plugin in 0..<plugins {
            let name = "com.example.n\(plugin)"
            try directory.add(name, library: library, "permitted-identifiers: [\(name).job.*]")
        }
        return directory
    }

    /// Starts a host in the directory, waits until its plugins have received the event `started`, and stops the host
    /// after `body`.
    func withHost<Result>(_ programs: Programs, _ body: (MeasuredHost, Control) throws -> Result) throws -> Result {
        let host = try MeasuredHost(programs, in: self)
        defer { host.stop() }
        try host.waitUntilLoaded()
        let control = try host.connect()
        try host.waitUntilQuiet(control)
        return try body(host, control)
    }
}

extension MeasuredHost {
    /// Waits until no launch runs and no event waits, for at most five minutes.
    ///
    /// - Parameter pending: whether also no request may be pending.
    func waitUntilQuiet(_ control: Control, pending: Bool = false) throws {
        for _ in 0..<6_000 {
            try requireRunning()
            let counts = try JSON(control.get("/v1/host"))["counts"]
            let waiting = (counts["events"].integer ?? 0) + (pending ? counts["pending"].integer ?? 0 : 0)
            if waiting == 0, counts["running_launches"].integer == 0 { return }
            usleep(50_000)
        }
        throw BenchmarkError("launches did not end within 5 minutes: \(try control.get("/v1/tasks?limit=1"))")
    }
}
