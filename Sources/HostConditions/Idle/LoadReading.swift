// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// What others than the host's own launches made of the machine between two samples. Judges; reads nothing.
struct LoadReading: Equatable {
    /// From here on a launch keeps others waiting itself.
    private static let noticeableShare = 0.01

    let since: MonotonicTime
    let until: MonotonicTime
    /// Of all processors, between 0 and 1.
    let share: Double
    let launchesShare: Double
    /// The shares of time in which something waited for a processor or a disk; nil where nobody can say of whom.
    let processorPressure: Double?
    let diskPressure: Double?

    /// Nil when no time passed.
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
            // What the launches waited is at most all of it: the rest is what others waited at least.
            if let launches, let before = launches.0[keyPath: stall], let after = launches.1[keyPath: stall] {
                return min(1, max(0, all - Self.growth(before, after)) / elapsed)
            }
            // Waiting of which nobody can say whose it was must not end an idleness that a launch runs on.
            return launchesWork ? nil : min(1, all / elapsed)
        }
        processorPressure = pressure(\.processorStall)
        diskPressure = pressure(\.diskStall)
    }

    private static func growth(_ before: Duration, _ after: Duration) -> Double {
        max(0, (after - before) / .seconds(1))
    }

    private var pressures: [Double] { [processorPressure, diskPressure].compactMap(\.self) }

    /// Whether the machine looks idle; nil in between, where it stays what it was.
    func looksIdle(_ thresholds: ConditionThresholds) -> Bool? {
        if share > thresholds.busyShare || pressures.contains(where: { $0 > thresholds.busyPressure }) { return false }
        let isQuiet = pressures.allSatisfy { $0 < thresholds.idlePressure }
        return share < thresholds.idleShare && isQuiet ? true : nil
    }

    func looksHigh(_ thresholds: ConditionThresholds) -> Bool? {
        if share > thresholds.highLoadShare { return true }
        return share < thresholds.highLoadEndShare ? false : nil
    }

    var words: String {
        var words = "others use \(Self.percent(share)) of the processors"
        if launchesShare >= Self.noticeableShare { words += ", launches \(Self.percent(launchesShare))" }
        if let processorPressure { words += ", waiting for a processor \(Self.percent(processorPressure))" }
        if let diskPressure { words += ", for a disk \(Self.percent(diskPressure))" }
        return words
    }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded()))%" }
}
