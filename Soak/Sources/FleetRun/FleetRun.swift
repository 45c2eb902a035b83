// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetSimulation
import Glibc

/// Simulates a fleet with faults, and measures fleets of idle hosts. Exits with 1 after a broken promise.
///
///     make fleet-simulation
@main
struct FleetRun {
    static func main() {
        let numbers = CommandLine.arguments.dropFirst().compactMap(Int.init)
        guard numbers.count == 3, numbers[2] > 0 else {
            print("usage: FleetRun EVENTS SEED HOSTS")
            exit(64)
        }
        let isKept = simulate(events: numbers[0], seed: UInt64(clamping: numbers[1]), hosts: numbers[2])
        print("idle hosts, for 60 simulated seconds: processor time per host and minute, statements per second")
        print("    hosts      items  us/minute  statements/s  peak MiB")
        for items in [0, 10_000, 100_000, 1_000_000] { measureIdle(hosts: 10_000, items: items) }
        exit(isKept ? 0 : 1)
    }

    /// Simulates fleets of different sizes until they have processed a number of events together.
    ///
    /// - Returns: whether every promise was kept.
    private static func simulate(events: Int, seed: UInt64, hosts: Int) -> Bool {
        var (processed, round, isKept) = (0, UInt64(0), true)
        while processed < events {
            // Small fleets have more faults per host, large ones more contention.
            let count = round % 2 == 0 ? min(hosts, 50) : hosts
            let scenario = FleetScenario(
                seed: seed &+ round,
                hosts: count,
                events: min(events - processed, 250_000),
                submissionInterval: 5_000_000_000 / Int64(count),
                faultInterval: 100_000_000_000 / Int64(count)
            )
            let result = FleetWorld(scenario).run()
            print(line(result, hosts: count, seed: scenario.seed))
            result.violations.forEach { print("  " + $0) }
            isKept = isKept && result.violations.isEmpty
            processed += result.events
            round += 1
        }
        print("\(processed) events, \(isKept ? "every promise kept" : "promises broken")")
        return isKept
    }

    private static func line(_ result: FleetResult, hosts: Int, seed: UInt64) -> String {
        """
        seed \(seed): \(hosts) hosts, \(result.events) events, \(result.simulatedSeconds) s; items: \
        \(result.submitted) submitted, \(result.finished) finished, \(result.replaced) replaced, \
        \(result.cancelled) cancelled; claims: \(result.rescued) rescued, \(result.returned) returned, \
        \(result.superseded) superseded
        """
    }

    private static func measureIdle(hosts: Int, items: Int) {
        let world = FleetWorld(
            FleetScenario(seed: 1, hosts: hosts, submissionInterval: nil, faultInterval: nil)
        )
        world.addBacklog(items)
        // The first renewals create the state of each host.
        world.run(for: .seconds(30))
        let (begin, statements) = (processorSeconds, world.statements)
        world.run(for: .seconds(60))
        let microseconds = (processorSeconds - begin) / Double(hosts) * 1e6
        let rate = (world.statements - statements) / 60
        print(
            column(hosts, 9),
            column(world.itemCount, 10),
            column(Int(microseconds), 10),
            column(rate, 13),
            column(peakMiB, 9)
        )
    }

    private static func column(_ value: Int, _ width: Int) -> String {
        let text = "\(value)"
        return String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }

    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static var peakMiB: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss / 1_024
    }
}
