// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The use of the machine by processes other than the host's launches between two samples, and whether it means an idle
/// machine or a high load.
struct LoadReading: Equatable {
    /// Share of the processors used by launches above which the launches may themselves cause waiting.
    private static let noticeableShare = 0.01

    let since: MonotonicTime
    let until: MonotonicTime
    /// Share of all processors that processes other than the host's launches use, from 0 to 1. It includes the launches
    /// when their use is unknown.
    let share: Double
    let launchesShare: Double
    /// Share of time in which other processes waited for a processor, from 0 to 1; nil when the kernel does not report
    /// the waiting, or it cannot be attributed to them.
    let processorPressure: Double?
    let diskPressure: Double?

    /// Computes the use between two samples; nil when no time passed between them.
    init?(from earlier: LoadSample, to later: LoadSample) {
        let elapsed = (later.at - earlier.at) / Duration.seconds(1)
        guard elapsed > 0 else { return nil }
        since = earlier.at
        until = later.at

        let launches = earlier.launches.flatMap { before in later.launches.map { (before, $0) } }
        let all = Self.growth(earlier.machine.processorTime, later.machine.processorTime)
        let own = launches.map { Self.growth($0.processorTime, $1.processorTime) } ?? 0
        let capacity = elapsed * Double(later.processors)
        share = min(1, max(0, all - own) / capacity)
        launchesShare = min(1, own / capacity)

        let launchesWork = launchesShare > Self.noticeableShare
        func pressure(_ stall: KeyPath<UsageReading, Duration?>) -> Double? {
            guard let before = earlier.machine[keyPath: stall], let after = later.machine[keyPath: stall] else {
                return nil
            }
            let all = Self.growth(before, after)
            // The waiting time of the launches is part of the total: the difference is a lower bound for the other
            // processes.
            if let launches, let before = launches.0[keyPath: stall], let after = launches.1[keyPath: stall] {
                return min(1, max(0, all - Self.growth(before, after)) / elapsed)
            }
            // Waiting that cannot be attributed must not end the idleness in which a launch runs.
            return launchesWork ? nil : min(1, all / elapsed)
        }
        processorPressure = pressure(\.processorStall)
        diskPressure = pressure(\.diskStall)
    }

    private static func growth(_ before: Duration, _ after: Duration) -> Double {
        max(0, (after - before) / .seconds(1))
    }

    private var pressures: [Double] { [processorPressure, diskPressure].compactMap(\.self) }

    /// Whether the use is that of an idle machine; nil between the thresholds, where the state does not change.
    func indicatesIdleness(_ thresholds: ConditionThresholds) -> Bool? {
        if share > thresholds.busyShare || pressures.contains(where: { $0 > thresholds.busyPressure }) { return false }
        let isQuiet = pressures.allSatisfy { $0 < thresholds.idlePressure }
        return share < thresholds.idleShare && isQuiet ? true : nil
    }

    func indicatesHighLoad(_ thresholds: ConditionThresholds) -> Bool? {
        if share > thresholds.highLoadShare { return true }
        return share < thresholds.highLoadEndShare ? false : nil
    }

    var words: String {
        var words = "processes outside of launches use \(Self.percent(share)) of the processors"
        if let processorPressure {
            words += ", and wait for a processor \(Self.percent(processorPressure)) of the time"
        }
        if let diskPressure { words += ", and wait for a disk \(Self.percent(diskPressure)) of the time" }
        if launchesShare >= Self.noticeableShare {
            words += "; launches use \(Self.percent(launchesShare)) of the processors"
        }
        return words
    }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded()))%" }
}
