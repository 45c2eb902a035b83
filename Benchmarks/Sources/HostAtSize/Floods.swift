// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// A benchmark of two launches that submit without pause, beside a plugin that repeatedly overruns its budget. Measures
/// the lateness of kills, the answer times of other clients, and the growth of memory and journal.
struct Floods {
    enum Way: String {
        /// Calls of the plugin interface, from many threads.
        case calls
        /// Calls of the plugin interface, each submission followed by its cancellation.
        case cancellations
        /// Frames written to the runner's channel, past the runner and its window of unanswered calls.
        case frames

        var library: String {
            switch self {
            case .calls, .cancellations: "libFloodsCalls.so"
            case .frames: "libFloodsSubmissions.so"
            }
        }
    }

    private static let kills = 200
    private static let seconds = 60
    /// Longest wait for the measured kill of one launch of the overrunning plugin, in nanoseconds. Then its next
    /// request is submitted, and the launch counts as not measured.
    private static let longestLaunch: Int64 = 2_000_000_000
    private static let flooders = ["com.example.floods.one", "com.example.floods.two"]
    private static let overstayer = "com.example.overstays"

    private let programs: Programs
    private let way: Way?

    /// Creates the benchmark.
    ///
    /// - Parameter way: the way of submitting; nil without a flood.
    init(_ programs: Programs, by way: Way?) { (self.programs, self.way) = (programs, way) }

    func measure() throws {
        let directory = try directory()
        defer { directory.remove() }
        // Before the first launch, which would create the file of its grant.
        let kills = try KillWatch(programs, fifo: directory.path + "/fifo")
        defer { kills.stop() }
        let host = try MeasuredHost(programs, in: directory)
        defer { host.stop() }
        let control = try host.connect()
        for flooder in way == nil ? [] : Self.flooders { try Self.submit(flooder, control) }
        try waitForLaunches(way == nil ? 0 : Self.flooders.count, control)
        let submissions = try Self.submit(Self.overstayer, control)

        let asker = try Asker(directory.socket, path: "/v1/host", pause: 20_000)
        let start = monotonicNow()
        var memory: [Int] = []
        var (submittedAt, unmeasured) = (start, 0)
        while kills.host.count < Self.kills || memory.count < Self.seconds {
            try host.requireRunning()
            if monotonicNow() - start > Int64(memory.count) * 1_000_000_000 { memory.append(host.kilobytes("VmRSS")) }
            if memory.count > 3 * Self.seconds { break }
            let isMeasured = !kills.taken().isEmpty
            // A process that is killed before it has announced itself gives no measurement.
            let isOverdue = monotonicNow() - submittedAt > Self.longestLaunch
            if isMeasured || isOverdue {
                if !isMeasured { unmeasured += 1 }
                try Self.submit(Self.overstayer, control)
                submittedAt = monotonicNow()
            }
            usleep(5_000)
        }
        let elapsed = Double(monotonicNow() - start) / 1e9
        let answers = try asker.stop().times
        let recorded = try Self.submit(Self.overstayer, control) - submissions
        host.stop()
        try write(kills, unmeasured, answers, memory, Double(recorded) / elapsed, elapsed, directory)
    }

    private func directory() throws -> HostDirectory {
        let lines = [
            "spacing: 0ms", "launches: { background: 8 }",
            "conditions: { external-power: true, network: true, idle: true, high-load: false, low-memory: false,"
                + " hot: false, battery-low: false, power-saver: false, metered: false, gpu: false }",
            "policies: { off: [use, spacing, day-budget, stagger, idle, load], overrun-spacing: 0ms }",
            "retry: { delay: 10ms, attempts: 1000 }", "plugins:",
            "  \(Self.overstayer): { budgets: { processing: 150ms }, grace-period: 50ms }",
        ]
        let policies = Self.flooders.map { "  \($0): { budgets: { processing: 1h }, grace-period: 200ms }" }
        let directory = try HostDirectory(configuration: lines + policies)
        let library = way?.library ?? Way.calls.library
        for file in ["libOverstays.so", library] { try directory.install(library: "\(programs.bench)/\(file)") }
        for plugin in Self.flooders + [Self.overstayer] {
            let isFlooder = plugin != Self.overstayer
            let fifo = isFlooder ? "" : ", fifo: \(directory.path)/fifo"
            let cancels = isFlooder && way == .cancellations ? ", cancels: \"yes\"" : ""
            let manifest = """
                manifest: 1
                identifier: \(plugin)
                library: \(isFlooder ? library : "libOverstays.so")
                background-modes: [processing]
                permitted-identifiers: [\(plugin).task]
                settings: { task: \(plugin).task\(fifo)\(cancels) }
                \(isFlooder ? "" : "grants: { settings: [ { setting: fifo, access: write } ] }")
                """
            try directory.write(manifest, to: "manifests/\(plugin).yaml")
        }
        return directory
    }

    /// Submits a request for the task of a plugin.
    ///
    /// - Returns: the number of the submission.
    @discardableResult
    private static func submit(_ plugin: String, _ control: Control) throws -> Int {
        let answer = try control.post("/v1/tasks", #"{"identifier":"\#(plugin).task","kind":"processing"}"#)
        guard let number = JSON(answer)["submission"].integer else { throw BenchmarkError("refused: \(answer)") }
        return number
    }

    private func waitForLaunches(_ count: Int, _ control: Control) throws {
        for _ in 0..<1_000 {
            if try JSON(control.get("/v1/tasks"))["running"].count == count { return }
            usleep(10_000)
        }
        throw BenchmarkError("the floods did not begin")
    }

    // MARK: Rows

    private func write(
        _ kills: KillWatch,
        _ unmeasured: Int,
        _ answers: Distribution,
        _ memory: [Int],
        _ rate: Double,
        _ elapsed: Double,
        _ directory: HostDirectory
    ) throws {
        let name =
            switch way {
            case nil: "no flood"
            case .calls: "two floods of calls"
            case .cancellations: "two floods of submissions and cancellations"
            case .frames: "two floods of frames"
            }
        var rows = Rows()
        let timer = "\(Distribution(kills.timer).text), its wake-up alone \(Distribution(kills.wakeUp).text)"
        rows.add(
            "\(name): lateness of \(kills.host.count) kills, ms (p50 / p99 / max); \(unmeasured) not measured",
            now: Distribution(kills.host).text,
            machine: timer
        )
        rows.add(
            "\(name): \(answers.count) answers to `host status`, ms (p50 / p99 / max)",
            before: way == .frames ? "none in 20 s" : nil,
            now: answers.text,
            target: "max 100"
        )
        let megabytes = [memory.first, memory[memory.count / 2], memory.last, memory.max()].map {
            String(format: "%.1f", Double($0 ?? 0) / 1_024)
        }
        rows.add(
            "\(name): memory of the host, MiB (start / middle / end / max)",
            before: way == .frames ? "178" : nil,
            now: megabytes.joined(separator: " / "),
            target: "flat"
        )
        if way != nil {
            rows.add("\(name): submissions recorded a second", now: String(format: "%.0f", rate))
            let lines = try Self.flooders.map { flooder in
                let plugin = "(SELECT id FROM plugin WHERE identifier = '\(flooder)')"
                let count = try directory.query("SELECT count(*) FROM journal WHERE plugin = \(plugin)")
                return String(format: "%.0f", (Double(count) ?? .nan) / elapsed * 60)
            }
            rows.add(
                "\(name): journal lines a minute, by flooding plugin",
                before: way == .calls ? "405,734 of both" : nil,
                now: lines.joined(separator: ", "),
                target: "under 1,000"
            )
        }
        try rows.write("1-floods-\(way?.rawValue ?? "none")", programs)
    }
}
