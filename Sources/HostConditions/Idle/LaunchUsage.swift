// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import TaskModel

/// A source of the use of the machine by the host's own launches. This use must not end the idleness in which the
/// launches run (C16).
package struct LaunchUsage: Sendable {
    private let source: @Sendable () -> UsageReading?

    /// Creates a source.
    ///
    /// - Parameter read: returns the total use by launches since the host started, including ended launches; nil while
    ///   it is unknown.
    package init(_ read: @escaping @Sendable () -> UsageReading?) { source = read }

    package func read() -> UsageReading? { source() }

    /// The use by a control group that contains all launches. The kernel includes the use of removed subgroups.
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

    /// The use by a process, its descendants, and the processes that these have reaped. For the host's own process this
    /// is the use by its launches and by the host itself; neither counts as use by other processes.
    package static func processTree(of process: Int32, proc: String = "/proc") -> LaunchUsage {
        let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
        return LaunchUsage {
            ProcessTimes.all(in: proc).map { times in
                .init(processorTime: times.used(by: process, ticksPerSecond: ticksPerSecond))
            }
        }
    }
}
