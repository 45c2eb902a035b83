// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Chooses the launch that has to end because the disk of the containers lacks its reserve.
///
/// Only a launch that took a considerable part is chosen: another program may have filled the disk. One launch is chosen
/// at a time, and after its end another one only if a further part of the reserve is used up, because files stay on the
/// disk when their launch has ended. A launch that is chosen has its grace period while half of the reserve is left.
struct DiskGuard: Sendable {
    /// The present shortage; nil while the reserve is kept, and before the first sample.
    private(set) var shortage: DiskShortage?
    /// The chosen launch, until its end.
    private var chosen: LaunchNumber?
    /// The free part after the end of the launch that was chosen last, or the largest one since; nil without one.
    private var level: Int64?

    /// A launch is accountable from this part of the reserve on.
    private static let part: Int64 = 8
    /// Where no bytes are counted, a launch is accountable from this time in the kernel on.
    private static let leastTime: Duration = .seconds(1)

    enum Verdict: Hashable {
        case none
        case expire(LaunchNumber)
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
            (chosen, level) = (nil, nil)
            return .none
        }
        if let chosen {
            if exists(chosen) { return shortage.isSevere ? .kill(chosen) : .none }
            (self.chosen, level) = (nil, shortage.free)
            return .none
        }
        if let before, before.isOfBytes != shortage.isOfBytes { level = nil }
        if let level, shortage.free > level - max(1, shortage.reserve / Self.part) {
            self.level = max(level, shortage.free)
            return .none
        }
        let worst = sample.uses.filter { Self.isAccountable($0.value, for: shortage) }.max { left, right in
            let (first, second) = (Self.order(left.value, shortage), Self.order(right.value, shortage))
            // Of equal launches, the newest.
            return first == second ? left.key < right.key : first < second
        }
        chosen = worst?.key
        return chosen.map { .expire($0) } ?? .none
    }

    private static func isAccountable(_ use: DiskUse, for shortage: DiskShortage) -> Bool {
        guard shortage.isOfBytes, let written = use.written else { return use.systemTime >= leastTime }
        return written >= max(1, shortage.reserve / part)
    }

    private static func order(_ use: DiskUse, _ shortage: DiskShortage) -> (Int64, Duration) {
        (shortage.isOfBytes ? use.written ?? 0 : 0, use.systemTime)
    }
}

extension DiskShortage {
    fileprivate var isOfBytes: Bool { if case .bytes = self { true } else { false } }
}
