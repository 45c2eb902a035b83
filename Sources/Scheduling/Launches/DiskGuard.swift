// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Chooses the launch that has to end because the disk of the containers lacks its reserve.
///
/// A launch is chosen on evidence alone: while the reserve was short, it took a considerable part of the reserve, and the
/// launches together took most of what the disk lost. Otherwise another program filled the disk, or the host cannot read
/// what launches write, and no launch is ended. One launch is chosen at a time, and after its end the evidence begins
/// anew, because files stay on the disk. A launch that is chosen has its grace period while half of the reserve is left.
struct DiskGuard: Sendable {
    /// The present shortage; nil while the reserve is kept, and before the first sample.
    private(set) var shortage: DiskShortage?
    /// The chosen launch, until its end.
    private var chosen: LaunchNumber?
    private var evidence = Evidence()

    /// A launch is accountable from this part of the reserve on.
    private static let part: Int64 = 8

    /// The bytes, or the inodes, that the disk lost since the shortage began or the last chosen launch ended.
    fileprivate struct Evidence {
        var lost: Int64 = 0
        /// The part of `lost` that launches can have taken.
        var explained: Int64 = 0
        /// The part of each launch. A launch takes at most what the disk loses in the same interval.
        var taken: [LaunchNumber: Int64] = [:]

        mutating func add(_ growths: [LaunchNumber: Int64], lost amount: Int64) {
            guard amount > 0 else { return }
            lost = lost.addingReportingOverflow(amount).partialValue
            var sum: Int64 = 0
            for (launch, growth) in growths where growth > 0 {
                let own = min(growth, amount)
                taken[launch, default: 0] += own
                sum = min(amount, sum + min(own, amount - sum))
            }
            explained += sum
        }

        var isExplained: Bool { explained >= lost - explained }
    }

    enum Verdict: Hashable {
        case none
        /// - Parameter taken: the bytes or inodes that the launch took.
        case expire(LaunchNumber, taken: Int64)
        case kill(LaunchNumber)
    }

    /// The launch that has to end, and how.
    ///
    /// - Parameter exists: whether a launch has not ended.
    mutating func judge(
        _ sample: DiskSample,
        _ reserve: DiskReserve,
        exists: (LaunchNumber) -> Bool
    ) -> Verdict {
        let before = shortage
        shortage = reserve.shortage(of: sample.disk)
        guard let shortage else {
            (chosen, evidence) = (nil, Evidence())
            return .none
        }
        if let chosen {
            if exists(chosen) { return shortage.isSevere ? .kill(chosen) : .none }
            (self.chosen, evidence) = (nil, Evidence())
            return .none
        }
        if let before, before.isOfBytes != shortage.isOfBytes { evidence = Evidence() }
        evidence.add(
            sample.uses.compactMapValues { shortage.isOfBytes ? $0.written : $0.created },
            lost: shortage.isOfBytes ? sample.lostBytes : sample.lostInodes
        )
        guard evidence.isExplained, let worst = evidence.worst(among: sample.uses.keys),
            worst.taken >= max(1, shortage.reserve / Self.part)
        else { return .none }
        chosen = worst.launch
        return .expire(worst.launch, taken: worst.taken)
    }
}

extension DiskGuard.Evidence {
    /// The launch that took most; of equal launches, the newest.
    fileprivate func worst(
        among launches: some Sequence<LaunchNumber>
    ) -> (launch: LaunchNumber, taken: Int64)? {
        launches.compactMap { launch in taken[launch].map { (launch, $0) } }.max { left, right in
            left.1 == right.1 ? left.0 < right.0 : left.1 < right.1
        }
    }
}

extension DiskShortage {
    var isOfBytes: Bool { if case .bytes = self { true } else { false } }
}
