// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// From a durable submission to the first instruction of a C plugin's handler, on an idle host that keeps nothing warm;
/// beside it the same work done by a small C program. `SubmitToHandler PROGRAMS PLUGINS [ROUNDS [FLAGS OF BGTASKD]]`
@main
struct SubmitToHandler {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { throw BenchmarkError("usage: SubmitToHandler PROGRAMS PLUGINS [ROUNDS]") }
        let rounds = arguments.count > 3 ? Int(arguments[3]) ?? 200 : 200
        let host = try HostUnderTest(
            programs: arguments[1],
            plugins: arguments[2],
            flags: Array(arguments.dropFirst(4))
        )
        defer { host.stop() }

        let (sent, answered) = try measure(host, "stamp", rounds: rounds)
        let (boundSent, boundAnswered) = try measure(host, "bare", rounds: rounds)
        let floor = try measureFloor(arguments[2], rounds: rounds)
        print("from … to the handler's first instruction, \(rounds) rounds, in ms       p50     p99     max")
        print(row("submission sent (HTTP, commit, launch)", sent))
        print(row("submission answered (it is durable)", answered))
        print(row("the same, a bound function: sent", boundSent))
        print(row("the same, a bound function: answered", boundAnswered))
        print(row("a C program: spawn, dlopen, dlsym", floor))
        try measureCall(arguments[2])
        measureIdleness(host)
    }

    private static func measure(
        _ host: HostUnderTest,
        _ plugin: String,
        rounds: Int
    ) throws -> (sent: [Int64], answered: [Int64]) {
        let control = try Control(socket: host.socket)
        let body = #"{"identifier":"com.example.\#(plugin).refresh","kind":"refresh"}"#
        var starts: [(sent: Int64, answered: Int64)] = []
        for round in 0...rounds {
            let sent = monotonic()
            let answer = try control.post("/v1/tasks", body)
            guard answer.contains("submission") else { throw BenchmarkError("refused: \(answer)") }
            starts.append((sent, monotonic()))
            // The next one finds an idle host: this one's launch has ended long before.
            while stamps(host, plugin).count <= round { usleep(2_000) }
            usleep(50_000)
        }
        let pairs = zip(starts, stamps(host, plugin)).dropFirst()  // The first launch warms the page cache.
        return (pairs.map { $1 - $0.sent }, pairs.map { $1 - $0.answered })
    }

    private static func measureFloor(_ plugins: String, rounds: Int) throws -> [Int64] {
        let text = try output(of: plugins + "/Floor", [plugins + "/libStamp.so", "\(rounds)"])
        return text.split(separator: "\n").compactMap { Int64($0) }
    }

    /// The call by itself, without a launch around it.
    private static func measureCall(_ plugins: String) throws {
        let costs = try output(of: plugins + "/Call", []).split(whereSeparator: \.isWhitespace)
        guard costs.count == 2 else { throw BenchmarkError("Call did not say what a call costs") }
        print("one call of a function with seven arguments: \(costs[0]) ns plainly, \(costs[1]) ns through libffi")
    }

    private static func output(of program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    private static func measureIdleness(_ host: HostUnderTest) {
        // The last launch's threads have gone back to their pools by then.
        sleep(5)
        let before = (ticks: host.processorTicks(), switches: host.contextSwitches())
        sleep(10)
        let ticks = host.processorTicks() - before.ticks
        let switches = host.contextSwitches().reduce(0) { $0 + $1.value - (before.switches[$1.key] ?? $1.value) }
        print("an idle host in 10 s: \(ticks) ticks of processor time, \(switches) context switches")
    }

    private static func stamps(_ host: HostUnderTest, _ plugin: String) -> [Int64] {
        let text = (try? String(contentsOfFile: host.stamps(plugin), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { Int64($0) }
    }

    private static func monotonic() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    private static func row(_ name: String, _ values: [Int64]) -> String {
        let sorted = values.sorted()
        func at(_ share: Double) -> String {
            guard !sorted.isEmpty else { return "      -" }
            let index = min(sorted.count - 1, Int(Double(sorted.count) * share))
            return String(format: "%7.3f", Double(sorted[index]) / 1e6)
        }
        return name.padding(toLength: 66, withPad: " ", startingAt: 0)
            + [at(0.5), at(0.99), at(1)].joined(separator: " ")
    }
}
