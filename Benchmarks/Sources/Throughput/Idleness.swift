// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// A host with 1,000 plugins and 10,000 pending requests, none of which is due: the times that each of its threads was
/// put to sleep or preempted, its processor time and its memory.
struct Idleness {
    private let programs: Programs
    private let seconds: Int

    init(_ programs: Programs, seconds: Int) { (self.programs, self.seconds) = (programs, seconds) }

    func measure() throws -> [Figure] {
        let population = Population(name: "idleness", plugins: 1_000, each: 10, path: programs.bench + "/idleness")
        try? FileManager.default.removeItem(atPath: population.path)
        defer { try? FileManager.default.removeItem(atPath: population.path) }
        try population.prepare(programs)
        let host = try MeasuredHost(programs, in: try population.restored())
        defer { host.stop() }
        try host.waitUntilLoaded()
        // The evaluation of every plugin that follows a start is over by then, and idle connections are closed.
        sleep(15)
        let (switches, ticks) = (host.contextSwitches(), host.processorTicks())
        sleep(UInt32(seconds))
        let used = MeasuredHost.milliseconds(ofTicks: host.processorTicks() - ticks)
        let names = host.threadNames()
        var counts: [String: Int] = [:]
        for (thread, count) in host.contextSwitches() {
            counts[names[thread] ?? "unknown", default: 0] += count - (switches[thread] ?? 0)
        }
        let size = "\(population.plugins) plugins, \(population.total) pending"
        let threads = try counts.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            try Figure("context switches of the threads `\($0.key)`", .number, single: Double($0.value))
        }
        return [
            try Figure("\(size): memory (VmRSS)", .mebibytes, single: Double(host.kilobytes("VmRSS")) / 1_024),
            try Figure("processor time in \(seconds) s", .milliseconds, single: used),
            try Figure(
                "context switches of all threads in \(seconds) s",
                .number,
                single: Double(counts.values.reduce(0, +))
            ),
        ] + threads
    }
}
