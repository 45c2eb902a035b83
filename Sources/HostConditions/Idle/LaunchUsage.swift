// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import TaskModel

/// Where the use of the host's own launches is read, so that they do not end the idleness they run on (C16).
package struct LaunchUsage: Sendable {
    private let source: @Sendable () -> UsageReading?

    /// - Parameter read: everything that launches have used since the host started, those that ended included; nil while
    ///   that cannot be told.
    package init(_ read: @escaping @Sendable () -> UsageReading?) { source = read }

    package func read() -> UsageReading? { source() }

    /// Of a control group that all launches lie in: the kernel keeps what ended groups in it used.
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

    /// Of a process, everything that descends from it, and what either has reaped. With the host's own number that is its
    /// launches and itself, whose work is none of others either.
    package static func processTree(of process: Int32, proc: String = "/proc") -> LaunchUsage {
        let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
        return LaunchUsage {
            ProcessTimes.all(in: proc).map { times in
                .init(processorTime: times.used(by: process, ticksPerSecond: ticksPerSecond))
            }
        }
    }
}
