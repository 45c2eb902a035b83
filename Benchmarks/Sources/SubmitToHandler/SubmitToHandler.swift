// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// Measures the time from a durable submission to the first instruction of a C plugin's handler, on an idle host: with
/// an idle runner, without one and in a main bundle, with isolation and without; beside it the same work by a small C
/// program.
/// `SubmitToHandler PROGRAMS BENCH [ROUNDS [FLAGS OF BGTASKD]]`
@main
struct SubmitToHandler {
    static func main() {
        BenchmarkError.exiting { try run() }
    }

    private static func run() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { throw BenchmarkError("usage: SubmitToHandler PROGRAMS BENCH [ROUNDS]") }
        let rounds = arguments.count > 3 ? Int(arguments[3]) ?? 200 : 200
        let programs = Programs(host: arguments[1], bench: arguments[2])
        let directories = try ["confined", "open", "cold", "bundle"].map { try Self.directory(programs, name: $0) }
        defer { for directory in directories { directory.remove() } }
        let isolation = [[], ["--isolation", "off"], ["--idle-runners", "0"], []]
        let hosts = try zip(directories, isolation).map {
            try MeasuredHost(programs, in: $0, flags: $1 + Array(arguments.dropFirst(4)))
        }
        defer { for host in hosts { host.stop() } }

        let stamp = try measure(hosts, "stamp", rounds: rounds)
        let bare = try measure(hosts, "bare", rounds: rounds)
        let floor = try measureFloor(programs.bench, rounds: rounds)
        var figures = try latencies(stamp, bare, floor)
        figures += try measureCall(programs.bench)
        figures += try measurePolls(hosts[0])
        figures += try measureIdleness(hosts[0])
        print("from … to the handler's first instruction, \(rounds) rounds: p50 / p99 / max")
        for figure in figures { print(figure.line) }
        try Run("From a submission to its handler", figures).write("1-submit-to-handler", programs)
    }

    private typealias Times = (sent: [Int64], answered: [Int64])

    private static func latencies(_ stamp: [Times], _ bare: [Times], _ floor: [Int64]) throws -> [Figure] {
        func figure(_ name: String, _ times: [Int64], _ limit: Figure? = nil) throws -> Figure {
            try Figure(name, .milliseconds, Distribution(times), limit: limit)
        }
        let confined = try figure("a C program: spawn, confine, dlopen, dlsym", floor.filter { $0 < 0 }.map(-))
        let open = try figure("a C program: spawn, dlopen, dlsym", floor.filter { $0 > 0 })
        return [
            try figure("submission sent (HTTP, commit, launch)", stamp[0].sent, confined),
            try figure("submission answered (it is durable)", stamp[0].answered, confined),
            try figure("submission answered, isolation off", stamp[1].answered, open),
            try figure("submission sent, without idle runners", stamp[2].sent, confined),
            try figure("submission answered, without idle runners", stamp[2].answered, confined),
            try figure("submission sent, in a main bundle", stamp[3].sent, confined),
            try figure("submission answered, in a main bundle", stamp[3].answered, confined),
            try figure("a bound function: sent", bare[0].sent, confined),
            try figure("a bound function: answered", bare[0].answered, confined),
            try figure("a bound function: answered, isolation off", bare[1].answered, open),
            confined, open,
        ]
    }

    /// The directory of a host with three plugins: one with an entry function, one with a bound function, one that
    /// polls. The plugins of the host `bundle` request a main bundle.
    private static func directory(_ programs: Programs, name host: String) throws -> HostDirectory {
        // Sensors work as usual, but high load from the preceding build must not delay the launches.
        let path = NSTemporaryDirectory() + "bgtask-bench-\(getpid())-\(host)"
        let directory = try HostDirectory(path, configuration: ["spacing: 0ms", "conditions: { high-load: false }"])
        let handlers = """
            handlers:
              - identifier: com.example.bare.refresh
                symbol: bare_stamp
                arguments: [container-path]
                returns: { int32: success-when-zero }
            """
        for (name, task, mode, handlers) in [
            ("Stamp", "refresh", "fetch", ""), ("Bare", "refresh", "fetch", handlers),
            ("Polls", "poll", "processing", ""),
        ] {
            let plugin = name.lowercased()
            try directory.install(library: "\(programs.bench)/lib\(name).so")
            let manifest = """
                manifest: 1
                identifier: com.example.\(plugin)
                library: lib\(name).so
                background-modes: [\(mode)]
                permitted-identifiers: [com.example.\(plugin).\(task)]
                main-bundle: \(host == "bundle")
                \(handlers)
                """
            try directory.write(manifest, to: "manifests/\(plugin).yaml")
        }
        return directory
    }

    /// The nanoseconds from a submission to its handler (`sent`), and from the answer to the submission to the handler
    /// (`answered`), for each host. The hosts take turns, so that a change of the machine's load concerns all of them.
    private static func measure(
        _ hosts: [MeasuredHost],
        _ plugin: String,
        rounds: Int
    ) throws -> [Times] {
        let controls = try hosts.map { try $0.connect() }
        let body = #"{"identifier":"com.example.\#(plugin).refresh","kind":"refresh"}"#
        var starts: [[(sent: Int64, answered: Int64)]] = hosts.map { _ in [] }
        for round in 0...rounds {
            for (index, host) in hosts.enumerated() {
                let sent = monotonicNow()
                let answer = try controls[index].post("/v1/tasks", body)
                guard answer.contains("submission") else { throw BenchmarkError("refused: \(answer)") }
                starts[index].append((sent, monotonicNow()))
                // The next submission meets an idle host: this launch has ended long before.
                while stamps(host, plugin).count <= round { usleep(2_000) }
                usleep(50_000)
            }
        }
        return zip(hosts, starts).map { host, starts in
            let pairs = zip(starts, stamps(host, plugin)).dropFirst()  // The first launch warms the page cache.
            return (pairs.map { $1 - $0.sent }, pairs.map { $1 - $0.answered })
        }
    }

    /// Runs the C program Floor, and returns the times that it prints, in nanoseconds; times with confinement have a
    /// minus sign.
    private static func measureFloor(_ bench: String, rounds: Int) throws -> [Int64] {
        let text = try Programs.output(of: bench + "/Floor", [bench + "/libStamp.so", "\(rounds)"])
        return text.split(separator: "\n").compactMap { Int64($0) }
    }

    /// Measures the call of a bound function alone, without a launch.
    private static func measureCall(_ bench: String) throws -> [Figure] {
        guard let costs = costs(try Programs.output(of: bench + "/Call", [])) else {
            throw BenchmarkError("Call did not print two costs")
        }
        let plain = try Figure("one call of a function with seven arguments", .nanoseconds, single: costs[0])
        let name = "one call of a function with seven arguments, through libffi"
        return [try Figure(name, .nanoseconds, single: costs[1], limit: plain), plain]
    }

    /// The two numbers of a text; nil for another text.
    private static func costs(_ text: String) -> [Double]? {
        let costs = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        return costs.count == 2 ? costs : nil
    }

    /// Measures the calls `is_expiring` and `set_progress`, which a continued task makes in loops.
    private static func measurePolls(_ host: MeasuredHost) throws -> [Figure] {
        let body = #"{"identifier":"com.example.polls.poll","kind":"continued","title":"Polls"}"#
        let answer = try host.connect().post("/v1/tasks", body)
        guard answer.contains("submission") else { throw BenchmarkError("refused: \(answer)") }
        let file = host.directory.container("com.example.polls", "polls")
        for _ in 0..<6_000 {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            if let costs = costs(text) {
                return try zip(["is_expiring", "set_progress"], costs).map { name, cost in
                    try Figure("one call by a plugin: \(name)", .nanoseconds, single: cost)
                }
            }
            try host.requireRunning()
            usleep(10_000)
        }
        throw BenchmarkError("the plugin Polls wrote no figures within 60 s")
    }

    private static func measureIdleness(_ host: MeasuredHost) throws -> [Figure] {
        // The threads of the last launch have returned to their pools by then.
        sleep(5)
        let before = (ticks: host.processorTicks(), switches: host.contextSwitches())
        sleep(10)
        let ticks = host.processorTicks() - before.ticks
        let switches = host.contextSwitches().reduce(0) { $0 + $1.value - (before.switches[$1.key] ?? $1.value) }
        let used = MeasuredHost.milliseconds(ofTicks: ticks)
        return [
            try Figure("an idle host in 10 s: processor time", .milliseconds, single: used),
            try Figure("an idle host in 10 s: context switches", .number, single: Double(switches)),
        ]
    }

    private static func stamps(_ host: MeasuredHost, _ plugin: String) -> [Int64] {
        let file = host.directory.container("com.example.\(plugin)", "stamps")
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { Int64($0) }
    }
}
