// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Chooses the launch that has to end because the disk of the containers lacks its reserve.
///
/// A launch is chosen on evidence alone: while the reserve was short, it took a considerable part of the reserve, and
/// the launches together took most of what the disk lost. Otherwise another program filled the disk, or the host cannot
/// read what launches write, and no launch is ended. Counters and free space may change at different times
/// (`DiskMatch`). One launch is chosen at a time, and after its end the evidence begins anew, because files stay on the
/// disk. A launch that is chosen has its grace period while half of the reserve is left.
struct DiskGuard: Sendable {
    /// The present shortage; nil while the reserve is kept, and before the first sample.
    private(set) var shortage: DiskShortage?
    /// The main plugin of the launch that was last expired or killed for this shortage; nil when none was.
    private(set) var user: PluginIdentifier?
    /// The chosen launch, until its end.
    private var chosen: LaunchNumber?
    private var evidence = Evidence()

    /// A launch is chosen only if it took at least the reserve divided by this number.
    private static let part: Int64 = 8

    /// The period of `DiskMatch`. A change of a counter matches a change of the disk when at most this time lies
    /// between them, and never when more than twice this time does. The kernel writes bytes back at most about 35 s
    /// after their write.
    private static let period: Duration = .seconds(40)

    /// The bytes, or the inodes, that the disk lost since this kind of shortage began or the last chosen launch ended.
    fileprivate struct Evidence {
        private var lost: Int64 = 0
        /// The part of `lost` that launches can have taken.
        private var explained = DiskMatch()
        /// The amounts that each running launch took, since its first sample: at most what it added, and at most what
        /// the disk lost meanwhile.
        private var taken: [LaunchNumber: DiskMatch] = [:]
        /// Start of the present period of `DiskMatch`; nil before the first sample.
        private var periodStart: MonotonicTime?

        /// Adds a sample.
        ///
        /// - Parameter growths: what each running launch has written or created; nil where it is unknown.
        mutating func add(_ growths: [LaunchNumber: Int64?], lost amount: Int64, at now: MonotonicTime) {
            beginPeriods(until: now)
            let amount = max(0, amount)
            lost = lost.adding(amount)
            var sum: Int64 = 0
            taken = growths.reduce(into: [:]) { parts, entry in
                let growth = max(0, entry.value ?? 0)
                sum = sum.adding(growth)
                var part = taken[entry.key] ?? DiskMatch()
                part.add(growth: growth, loss: amount)
                parts[entry.key] = part
            }
            explained.add(growth: sum, loss: amount)
        }

        private mutating func beginPeriods(until now: MonotonicTime) {
            let passed = periodStart.map { now - $0 } ?? .zero
            if periodStart != nil, passed < DiskGuard.period { return }
            periodStart = now
            // After two periods nothing is left that could match.
            for _ in 0..<(passed < DiskGuard.period * 2 ? 1 : 2) {
                explained.beginPeriod()
                for launch in taken.keys { taken[launch]?.beginPeriod() }
            }
        }

        var isExplained: Bool { explained.matched >= lost - explained.matched }

        /// The running launch that took the most of `lost`, and the amount that it took; of equal launches, the newest.
        /// Nil without launches.
        var worst: (launch: LaunchNumber, taken: Int64)? {
            taken.map { ($0.key, $0.value.matched) }.max { left, right in
                left.1 == right.1 ? left.0 < right.0 : left.1 < right.1
            }
        }
    }

    enum Verdict: Hashable {
        case none
        /// The launch was chosen by this sample, and has to be expired.
        ///
        /// - Parameter taken: the bytes or inodes that the launch took.
        case expire(LaunchNumber, taken: Int64)
        /// The launch was chosen before, and has to be killed: less than half of the reserve is left.
        case kill(LaunchNumber)
    }

    /// Adds a sample of the disk, and returns the launch that has to be expired or killed for the shortage, if any.
    ///
    /// - Parameter exists: whether a launch has not ended.
    mutating func judge(
        _ sample: DiskSample,
        _ reserve: DiskReserve,
        at now: MonotonicTime,
        exists: (LaunchNumber) -> Bool
    ) -> Verdict {
        let before = shortage
        shortage = reserve.shortage(of: sample.disk)
        guard let shortage else {
            self = DiskGuard()
            return .none
        }
        if let chosen {
            if exists(chosen) { return shortage.isSevere ? .kill(chosen) : .none }
            (self.chosen, evidence) = (nil, Evidence())
            return .none
        }
        if let before, before.isOfBytes != shortage.isOfBytes { evidence = Evidence() }
        evidence.add(
            sample.uses.mapValues { shortage.isOfBytes ? $0.written : $0.created },
            lost: shortage.isOfBytes ? sample.lostBytes : sample.lostInodes,
            at: now
        )
        guard evidence.isExplained, let worst = evidence.worst,
            worst.taken >= max(1, shortage.reserve / Self.part)
        else { return .none }
        chosen = worst.launch
        return .expire(worst.launch, taken: worst.taken)
    }

    /// Records the main plugin of the chosen launch, for as long as the shortage lasts.
    mutating func ended(_ plugin: PluginIdentifier) { user = plugin }
}

extension DiskShortage {
    var isOfBytes: Bool { if case .bytes = self { true } else { false } }
}
