// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import TaskModel

/// The use of the machine by all processes, or by the host's launches, since a fixed moment in the past.
package struct UsageReading: Hashable, Sendable {
    /// Processor time used, summed over all processors.
    package var processorTime: Duration
    /// Time in which at least one process waited for a processor; nil when the kernel does not report it.
    package var processorStall: Duration?
    /// Time in which at least one process waited for a disk; nil when the kernel does not report it.
    package var diskStall: Duration?

    package init(processorTime: Duration, processorStall: Duration? = nil, diskStall: Duration? = nil) {
        self.processorTime = processorTime
        self.processorStall = processorStall
        self.diskStall = diskStall
    }
}

/// The use of the machine by all processes up to one moment, and the part of it that is by the host's launches.
struct LoadSample: Equatable {
    let at: MonotonicTime
    let processors: Int
    let machine: UsageReading
    /// The part of the use that is by the host's launches; nil while it is unknown.
    let launches: UsageReading?
    /// The kernel's load average of the last minute, in threads; nil when the kernel does not report it.
    var minuteAverage: Double?
}

extension LoadSample {
    init(
        _ roots: SystemRoots,
        launches: UsageReading?,
        ticksPerSecond: Int64,
        at now: MonotonicTime
    ) throws(SystemError) {
        let path = "\(roots.proc)/stat"
        let text = try SystemFile.text(path, limit: 1 << 20)
        guard let ticks = Self.busyTicks(in: text) else { throw SystemError(unreadable: path) }
        let nanoseconds = ticks.multipliedReportingOverflow(by: 1_000_000_000 / max(1, ticksPerSecond))
        at = now
        processors = max(1, text.split(separator: "\n").count { Self.isOneProcessor($0) })
        machine = UsageReading(
            processorTime: .nanoseconds(nanoseconds.overflow ? .max : nanoseconds.partialValue),
            processorStall: (try? PressureReading(file: "\(roots.proc)/pressure/cpu"))?.total,
            diskStall: (try? PressureReading(file: "\(roots.proc)/pressure/io"))?.total
        )
        self.launches = launches
        minuteAverage = (try? SystemFile.text("\(roots.proc)/loadavg")).flatMap { $0.split(separator: " ").first }
            .flatMap { Double($0) }
    }

    /// Estimate of the used share of the processors in the last minute, from the load average. It includes threads that
    /// wait for a disk. Nil without a load average.
    var averageShare: Double? { minuteAverage.map { $0 / Double(processors) } }

    private static func isOneProcessor(_ line: Substring) -> Bool {
        line.hasPrefix("cpu") && line.dropFirst(3).first?.isNumber == true
    }

    /// The busy clock ticks in the line for all processors: the sum of user, nice, system, interrupt and soft interrupt
    /// time. Time spent waiting for a disk, or given to other virtual machines, is not included. Nil for malformed
    /// text.
    static func busyTicks(in text: String) -> Int64? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("cpu ") }) else { return nil }
        let fields = line.split(separator: " ").dropFirst().map { Int64($0) }
        guard fields.count >= 7 else { return nil }
        var sum: Int64 = 0
        for index in [0, 1, 2, 5, 6] {
            guard let ticks = fields[index], ticks >= 0 else { return nil }
            let (total, overflow) = sum.addingReportingOverflow(ticks)
            if overflow { return nil }
            sum = total
        }
        return sum
    }
}
