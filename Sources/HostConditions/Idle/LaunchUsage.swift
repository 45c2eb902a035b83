// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import TaskModel

/// The source of the use by the host's own launches, which must not end the idleness on which they run (C16).
package struct LaunchUsage: Sendable {
    private let source: @Sendable () -> UsageReading?

    /// - Parameter read: returns everything that launches have used since the host started, including ended ones; nil
    ///   while that is unknown.
    package init(_ read: @escaping @Sendable () -> UsageReading?) { source = read }

    package func read() -> UsageReading? { source() }

    /// The use of a control group that contains all launches. The kernel keeps the use of ended groups in it.
    package static func controlGroup(_ path: String) -> LaunchUsage {
        LaunchUsage {
            guard let text = try? SystemFile.text("\(path)/cpu.stat", limit: 4096),
                let line = text.split(separator: "\n").first(where: { $0.hasPrefix("usage_usec ") }),
                let microseconds = Int64(line.dropFirst("usage_usec ".count)), microseconds >= 0
            else { return nil }
            return UsageReading(
                processorTime: .microseconds(microseconds),
                processorStall: (try? PressureReading(file: "\(path)/cpu.pressure"))?.total,
                diskStall: (try? PressureReading(file: "\(path)/io.pressure"))?.total
            )
        }
    }

    /// The use of a process, its descendants, and the processes that either has reaped. The host's own number gives the
    /// use of its launches and of the host, whose work is not use by others either.
    package static func processTree(of process: Int32, proc: String = "/proc") -> LaunchUsage {
        let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
        return LaunchUsage {
            ProcessTimes.all(in: proc).map { times in
                .init(processorTime: times.used(by: process, ticksPerSecond: ticksPerSecond))
            }
        }
    }
}
