// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import Scheduling
import TaskModel

/// Measures the scheduling core alone: processor time of each operation and memory of one pending request, with few and
/// with many pending requests. Commits succeed at once and cost nothing.
///
/// With a number as argument it runs fixed amounts of each operation with that number of pending requests, and prints
/// no results: callgrind counts the instructions.
///
///     make core-cost
@main
struct CoreCost {
    private static let plugins = 1_000

    static func main() {
        if let pending = CommandLine.arguments.dropFirst().first.flatMap(Int.init) {
            var host = CoreHost(plugins: plugins, each: pending / plugins)
            _ = host.load()
            host.forgetLedger()
            return host.runCounted()
        }
        print("processor time: us per operation, condition per plugin; memory: bytes per pending request")
        print("  pending  plugins  resident  in use  load s  submit  event of 9  complete    why  condition")
        for each in [1, 100, 1_000] { measure(each) }
        print("processor time until the end of a launch has led to the next one: us, nine events")
        print("  waiting for capacity   time")
        for waiting in [1_000, 10_000] { measureCapacity(waiting) }
    }

    /// Measures the end of one of four running launches and the start of the next one, while `waiting` plugins wait for
    /// capacity, and prints the result.
    private static func measureCapacity(_ waiting: Int) {
        let capacity = 4
        var host = CoreHost(plugins: waiting + capacity, each: 1, capacity: capacity)
        _ = host.load()
        host.enterAll()
        precondition(host.runningCount == capacity)
        let time = host.measure(200, after: { $0.submitEndedAgain() }, { $0.replaceOldestLaunch() })
        precondition(host.runningCount == capacity)
        print(pad(waiting, 22), pad(time * 1e6, 6))
    }

    private static func measure(_ each: Int) {
        let resident = Memory.resident
        let inUse = Memory.inUse
        var host = CoreHost(plugins: plugins, each: each)
        let load = host.load()
        host.forgetLedger()
        let pending = plugins * each
        let perRequest = ((Memory.resident - resident) / pending, (Memory.inUse - inUse) / pending)
        let submit = host.measure(200) { $0.submit() }
        let event = host.measure(200) { $0.runToCompletion() } / CoreHost.eventsOfChain
        let complete = host.measure(
            200,
            before: { host in for _ in 0..<200 { host.start() } },
            after: { $0.finish() },
            { $0.complete() }
        )
        let why = host.measure(200) { $0.explain() }
        var isLow = false
        let condition = host.measure(6) { host in
            isLow.toggle()
            host.setMemoryLow(isLow)
        }
        print(
            pad(pending, 9),
            pad(plugins, 8),
            pad(perRequest.0, 9),
            pad(perRequest.1, 7),
            pad(load, 7),
            pad(submit * 1e6, 7),
            pad(event * 1e6, 11),
            pad(complete * 1e6, 9),
            pad(why * 1e6, 6),
            pad(condition * 1e6 / Double(plugins), 10)
        )
    }

    private static func pad(_ value: Int, _ width: Int) -> String {
        let text = "\(value)"
        return String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }

    private static func pad(_ value: Double, _ width: Int) -> String {
        let hundredths = Int((value * 100).rounded())
        let fraction = hundredths % 100
        let text = "\(hundredths / 100)." + (fraction < 10 ? "0" : "") + "\(fraction)"
        return String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
}
