// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// A benchmark of an ordinary plugin beside hostile ones: the time from its submission to its handler, alone and while
/// one hostile plugin after the other is launched again and again. On a host of root each plugin has a user of its own.
struct Hostile {
    /// Plugins of Tests/MisbehavingPlugins, as `HOSTILE` in the Makefile: attacks, exhausted processes, memory and
    /// disk, floods, damaged channels, loops, crashes, and processes that outlive their launch. The fork bomb is
    /// included only for root: without a user per plugin, no limit of a launch stops it.
    private static let attackers =
        [
            "Attacks", "StartsThreads", "RepeatsRefusedCall", "UsesSockets", "AllocatesMemory", "WritesWithoutEnd",
            "FillsDisk", "FloodsLog", "FloodsOutput", "FloodsSubmissions", "FloodsChannel",
            "WritesControlCharacters", "WritesToChannel", "ClosesDescriptors", "StopsItself", "LoopInHandler",
            "LoopInEntry", "Deaf", "CrashInHandler", "CrashInConstructor", "LeavesChild",
        ] + (geteuid() == 0 ? ["ForkBomb"] : [])
    /// Grants and limits in the manifests of some attackers.
    private static let manifestLines = [
        "LeavesChild": "grants: { processes: true }",
        "AllocatesMemory": "grants: { processes: true }",
        "ForkBomb": "grants: { processes: true }\nlimits: { processes: 64 }",
        "WritesWithoutEnd": "limits: { file-size: 16 MiB }",
    ]
    private static let rounds = 50
    private static let neighbour = "com.example.stamp"

    private let programs: Programs

    init(_ programs: Programs) { self.programs = programs }

    /// Measures and writes the rows. Throws when a median beside an attacker exceeds twice the quiet median.
    func measure() throws {
        let directory = try directory()
        defer { directory.remove() }
        let host = try MeasuredHost(programs, in: directory)
        defer { host.stop() }
        let control = try host.connect()
        try host.waitUntilLoaded()
        // The event `started` of a plugin that fails in entry is abandoned after its attempts.
        try waitForQuiet(control)
        // The first launch warms the page cache.
        _ = try launches(1, of: host, control)
        let quiet = try launches(Self.rounds, of: host, control)
        var rows = Rows()
        rows.add("an ordinary plugin alone: submission to handler, ms (p50 / p99 / max)", now: quiet.text)
        guard let median = quiet.milliseconds(at: 0.5) else { throw BenchmarkError("no launch was measured") }
        let limit = 2 * median
        let target = String(format: "p50 at most %.3f", limit)
        var slow: [String] = []
        for attacker in Self.attackers {
            let task = "com.example.\(attacker.lowercased()).task"
            let body = #"{"identifier":"\#(task)","kind":"processing"}"#
            let submissions = try Asker(directory.socket, path: "/v1/tasks", body: body, pause: 20_000)
            // The first launch of the attacker has begun by then.
            usleep(200_000)
            let times = try launches(Self.rounds, of: host, control)
            _ = try submissions.stop()
            _ = try control.delete("/v1/tasks/\(task)")
            rows.add("beside \(attacker)", now: times.text, target: target)
            if let median = times.milliseconds(at: 0.5), median > limit {
                slow.append(String(format: "\(attacker) (%.3f ms)", median))
            }
            try waitForQuiet(control)
        }
        try rows.write("4-hostile", programs)
        if slow.isEmpty { return }
        let plugins = slow.joined(separator: ", ")
        throw BenchmarkError(String(format: "medians above twice the quiet one, %.3f ms: \(plugins)", limit))
    }

    /// Submits one request after the other.
    ///
    /// - Returns: the times from each submission to its handler.
    private func launches(_ count: Int, of host: MeasuredHost, _ control: Control) throws -> Distribution {
        let earlier = stamps(host).count
        var sent: [Int64] = []
        for round in 1...count {
            sent.append(monotonicNow())
            let body = #"{"identifier":"\#(Self.neighbour).refresh","kind":"refresh"}"#
            let answer = try control.post("/v1/tasks", body)
            guard answer.contains("submission") else { throw BenchmarkError("refused: \(answer)") }
            while stamps(host).count < earlier + round {
                try host.requireRunning()
                if monotonicNow() - (sent.last ?? 0) > 60_000_000_000 {
                    throw BenchmarkError("the ordinary plugin was not launched within 60 s")
                }
                usleep(2_000)
            }
            // The launch has ended by then.
            usleep(50_000)
        }
        return Distribution(zip(stamps(host).dropFirst(earlier), sent).map { $0 - $1 })
    }

    private func stamps(_ host: MeasuredHost) -> [Int64] {
        let file = host.directory.container(Self.neighbour, "stamps")
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { Int64($0) }
    }

    private func waitForQuiet(_ control: Control) throws {
        for _ in 0..<1_000 {
            let tasks = try JSON(control.get("/v1/tasks"))
            if tasks["running"].count == 0, tasks["events"].count == 0 { return }
            usleep(20_000)
        }
        throw BenchmarkError("a hostile launch did not end within 20 s")
    }

    private func directory() throws -> HostDirectory {
        let lines = [
            "spacing: 0ms", "launches: { background: 4 }",
            "conditions: { external-power: true, network: true, idle: true, high-load: false, low-memory: false,"
                + " hot: false, battery-low: false, power-saver: false, metered: false, gpu: false }",
            "policies: { off: [use, spacing, day-budget, stagger, idle, load], overrun-spacing: 0ms }",
            "retry: { delay: 10ms, attempts: 3 }", "plugins:",
        ]
        let policies = Self.attackers.map {
            "  com.example.\($0.lowercased()): { budgets: { processing: 1s, event: 1s }, grace-period: 100ms }"
        }
        // A range that no account has.
        let directory = try HostDirectory(users: "1879048192-1879048255", configuration: lines + policies)
        try install("Stamp", task: "refresh", mode: "fetch", in: directory)
        for attacker in Self.attackers { try install(attacker, task: "task", mode: "processing", in: directory) }
        return directory
    }

    private func install(_ name: String, task: String, mode: String, in directory: HostDirectory) throws {
        let plugin = "com.example.\(name.lowercased())"
        try directory.install(library: "\(programs.bench)/lib\(name).so")
        let manifest = """
            manifest: 1
            identifier: \(plugin)
            library: lib\(name).so
            background-modes: [\(mode)]
            permitted-identifiers: [\(plugin).\(task)]
            settings: { task: \(plugin).\(task) }
            \(Self.manifestLines[name] ?? "")
            """
        try directory.write(manifest, to: "manifests/\(plugin).yaml")
    }
}
