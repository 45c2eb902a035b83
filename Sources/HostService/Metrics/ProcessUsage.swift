// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem

/// The resources that the host process uses, without its runners.
struct ProcessUsage: Sendable {
    let cpuSeconds: Double
    let residentBytes: Int64
    let descriptors: Int

    /// The present use. Reads `/proc`.
    static var now: ProcessUsage {
        var usage = rusage()
        getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        let pages = FileBytes.text("/proc/self/statm", limit: 256)?.split(separator: " ").dropFirst().first
        return ProcessUsage(
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            residentBytes: Int64(pages.flatMap { Int32($0) } ?? 0) * Int64(sysconf(Int32(_SC_PAGESIZE))),
            // One of them is the open directory itself.
            descriptors: max(0, FilePlace.names(in: "/proc/self/fd").count - 1)
        )
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
}
