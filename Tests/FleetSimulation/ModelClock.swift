// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The clocks of one machine, whose rate differs from that of the simulation's time.
struct ModelClock {
    /// The advance of the clocks per nanosecond of the simulation's time.
    let rate: Double
    private var bootedAt: Int64 = 0
    private var boots = 1
    private var suspended: Int64 = 0
    var wallOffset: Int64 = 0

    init(rate: Double) { self.rate = rate }

    mutating func reboot(at now: Int64) {
        (bootedAt, suspended) = (now, 0)
        boots += 1
    }

    mutating func suspend(for duration: Int64) { suspended += Int64(Double(duration) * rate) }

    func boot(at now: Int64) -> BootTime { BootTime(nanoseconds: Int64(Double(now - bootedAt) * rate)) }

    func moment(at now: Int64) -> Moment {
        Moment(
            monotonic: MonotonicTime(nanoseconds: boot(at: now).nanoseconds - suspended),
            wall: WallTime(nanoseconds: 1_767_225_600_000_000_000 + now + wallOffset),
            boot: BootID("\(boots)"),
            bootTime: boot(at: now)
        )
    }

    /// The simulation's time at which the boot-time clock has a reading.
    func time(of reading: BootTime) -> Int64 { bootedAt + Int64(Double(reading.nanoseconds) / rate) + 1 }

    func time(of reading: MonotonicTime) -> Int64 {
        let boot = reading.nanoseconds.addingReportingOverflow(suspended)
        return boot.overflow ? .max : time(of: BootTime(nanoseconds: boot.partialValue))
    }

    func time(of wall: WallTime) -> Int64 { wall.nanoseconds - 1_767_225_600_000_000_000 - wallOffset }
}
