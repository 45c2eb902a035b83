// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The recent activity of a plugin, as far as policies need it.
package struct PluginRecord: Hashable, Sendable {
    /// Running time of the plugin's background launches that ended in the last 24 hours, in nanoseconds.
    package var dayUse = SlidingSum(slot: .seconds(15 * 60), window: .seconds(24 * 60 * 60))
    /// Number of launches with the cause `user` that ended in the last week, and of the triggers of the plugin's
    /// extensions.
    package var uses = SlidingSum(slot: .seconds(60 * 60), window: .seconds(7 * 24 * 60 * 60))
    /// Number of consecutive background launches that overran.
    package var overruns = 0
    /// By kind, the end of the last background launch with requests that the plugin itself had submitted. Launches at a
    /// user's request are not included.
    package private(set) var ownEnds: [TaskKind: WallTime] = [:]
    /// Number of consecutive background launches with the plugin's own refresh requests that used their whole budget.
    /// Launches at a user's request are not included.
    package private(set) var lateRefreshes = 0

    package init() {}

    mutating func note(_ launch: PastLaunch) {
        if launch.cause == .user { uses.add(1, at: launch.endedAt) }
        guard launch.lane == .background else { return }
        dayUse.add((launch.used ?? .zero).wholeNanoseconds, at: launch.endedAt)
        noteOwn(launch.ownKinds, cause: launch.cause, at: launch.endedAt)
        noteLate(launch)
        switch launch.outcome {
        case .overran: overruns += 1
        case .lost, .interrupted: break  // Caused by the host, not by the plugin.
        case .completed, .expired, .crashed, .exited, .killedForMemory, .entryFailed, .loadFailed: overruns = 0
        }
    }
}

// The last launch for requests of a kind. The wall clock measures the time since then, because the time counts across
// restarts of the host and while the machine is suspended.
extension PluginRecord {
    /// Notes the end of a background launch with the plugin's own requests of these kinds, unless a user requested the
    /// launch.
    mutating func noteOwn(_ kinds: Set<TaskKind>, cause: LaunchCause, at end: WallTime) {
        if cause == .user { return }
        for kind in kinds { ownEnds[kind] = end }
    }

    /// Counts launches with own refresh requests that used their whole budget. A completed, expired or overrun launch
    /// with such requests that used less resets the count.
    private mutating func noteLate(_ launch: PastLaunch) {
        guard launch.cause != .user, launch.ownKinds.contains(.refresh) else { return }
        switch launch.outcome {
        case .completed, .expired, .overran: lateRefreshes = launch.usedBudget ? lateRefreshes + 1 : 0
        case .lost, .interrupted, .crashed, .exited, .killedForMemory, .entryFailed, .loadFailed: break
        }
    }

    /// The spacing of pushes, or of the plugin's own requests of another kind; nil for a kind without one. Each
    /// consecutive refresh launch that used its whole budget doubles the spacing of refreshes, up to `longestSpacing`.
    /// The spacing of pushes stays: their senders decide how much a plugin has to do.
    func spacing(of kind: TaskKind, _ policies: PolicyConfiguration) -> Duration? {
        guard let base = policies.kindSpacing[kind] else { return nil }
        if kind != .refresh || lateRefreshes == 0 { return base }
        return max(base, min(policies.longestSpacing, base * (1 << min(lateRefreshes, 20))))
    }

    /// Replaces future times by now. Such times exist after the wall clock was set back.
    mutating func reckonAnew(at now: WallTime) { ownEnds = ownEnds.mapValues { min($0, now) } }
}

/// A sum of amounts over a sliding window of wall-clock time. The window consists of slots, and each slot stores only
/// the sum of its amounts, to bound the size.
package struct SlidingSum: Hashable, Sendable {
    private let slot: Int64
    private let slots: Int64
    private var sums: [(slot: Int64, sum: Int64)] = []

    package init(slot: Duration, window: Duration) {
        self.slot = slot.wholeNanoseconds
        slots = window.wholeNanoseconds / slot.wholeNanoseconds
    }

    /// Number of stored slots, at most the number of slots in one window. It bounds the memory of the sum.
    var slotCount: Int { sums.count }

    package mutating func add(_ value: Int64, at time: WallTime) {
        let index = time.nanoseconds / slot
        // After the clock was set back, slots in the future are dropped.
        sums.removeAll { $0.slot > index || $0.slot <= index - slots }
        if sums.last?.slot == index { sums[sums.count - 1].sum += value } else { sums.append((index, value)) }
    }

    package func total(at now: WallTime) -> Int64 { current(at: now).reduce(0) { $0 + $1.sum } }

    /// The time at which the sum of the window falls below `limit` if nothing is added; nil when it is below the limit
    /// now. `limit` is positive.
    package func end(of limit: Duration, at now: WallTime) -> WallTime? {
        if total(at: now) < limit.wholeNanoseconds { return nil }
        // Slots from a clock that was ahead count again when their time comes.
        let ends = sums.lazy.map { WallTime(nanoseconds: ($0.slot + slots) * slot) }
        return ends.first { $0 > now && total(at: $0) < limit.wholeNanoseconds }
    }

    private func current(at now: WallTime) -> [(slot: Int64, sum: Int64)] {
        let index = now.nanoseconds / slot
        return sums.filter { $0.slot <= index && $0.slot > index - slots }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.slot == right.slot && left.sums.elementsEqual(right.sums, by: ==)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(slot)
        for entry in sums {
            hasher.combine(entry.slot)
            hasher.combine(entry.sum)
        }
    }
}
