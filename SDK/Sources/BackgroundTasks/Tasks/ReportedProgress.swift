// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization

/// A progress object that reports its changes to the host.
///
/// Foundation has no key-value observing on Linux. Changes of this object are observed through its overridden members.
/// Changes of a child bypass all overridable members, so a progress with children samples itself until the task is
/// completed.
// Unchecked: the added state is in the mutex. Foundation's own progress is `@unchecked Sendable`, but takes no lock on
// Linux. A sample may therefore see a half-made change of a child; it is checked against the next sample.
final class ReportedProgress: Progress, @unchecked Sendable {
    private struct Reports {
        var last: (completed: Int64, total: Int64) = (0, 0)
        var timer: (any DispatchSourceTimer)?
        /// The counts at the last sample of a progress with children.
        var seen: (completed: Int64, total: Int64) = (0, 0)
        var hasEnded = false
    }

    /// Time between two samples: short enough for users who watch, and about a hundredth of the time after which a task
    /// without progress expires.
    private static let interval = DispatchTimeInterval.milliseconds(250)
    /// The total that is reported for a progress with children: the completed share of the children is a fraction, not
    /// a whole number of units.
    private static let scale: Int64 = 100_000

    private let task: DeliveredTask
    private let reports = Mutex(Reports())

    init(_ task: DeliveredTask) {
        self.task = task
        super.init(parent: nil, userInfo: nil)
    }

    override var totalUnitCount: Int64 {
        get { super.totalUnitCount }
        set {
            super.totalUnitCount = newValue
            report()
        }
    }

    override var completedUnitCount: Int64 {
        get { super.completedUnitCount }
        set {
            super.completedUnitCount = newValue
            report()
        }
    }

    /// Ends the time in which this object is the thread's current progress, and reports the change. If no child was
    /// created in that time, Foundation adds the pending units to the completed units.
    override func resignCurrent() {
        super.resignCurrent()
        report()
    }

    /// Adds a child progress. Foundation also calls this function when a progress is created while this object is the
    /// thread's current progress.
    override func addChild(_ child: Progress, withPendingUnitCount unitCount: Int64) {
        super.addChild(child, withPendingUnitCount: unitCount)
        startSampling()
    }

    /// Reports the progress for the last time.
    func end() {
        let timer = reports.withLock { reports in
            if let now = units(hasChildren: reports.timer != nil) { send(now, &reports) }
            reports.hasEnded = true
            return reports.timer.take()
        }
        timer?.cancel()
    }

    /// Reports a change of this object's own counts. A progress with children ignores the call, because its samples are
    /// reported instead.
    private func report() {
        reports.withLock { reports in
            guard reports.timer == nil, let now = units(hasChildren: false) else { return }
            send(now, &reports)
        }
    }

    /// Samples a progress with children, and reports the lower of two consecutive samples. A child that is just
    /// finishing may count twice in one sample. The host counts only progress beyond the furthest report, so after a
    /// report that is too high the task could expire as stalled.
    private func sample() {
        reports.withLock { reports in
            guard let now = units(hasChildren: true) else { return }
            let before = reports.seen
            reports.seen = now
            if before.total == now.total { send((min(before.completed, now.completed), now.total), &reports) }
        }
    }

    private func send(_ now: (completed: Int64, total: Int64), _ reports: inout Reports) {
        guard !reports.hasEnded, now != reports.last else { return }
        reports.last = now
        // Sent under the lock, to keep the order of two threads' reports; it never blocks.
        task.report(now.completed, of: now.total)
    }

    /// The counts to report; nil while no count is known.
    private func units(hasChildren: Bool) -> (completed: Int64, total: Int64)? {
        let (completed, total) = (max(0, super.completedUnitCount), super.totalUnitCount)
        // The total is unknown, but completed units are: reported with a huge total, they keep the task alive and show
        // as almost nothing.
        if total <= 0 { return completed > 0 ? (completed, .max) : nil }
        if !hasChildren { return (min(completed, total), total) }
        let fraction = min(max(0, fractionCompleted), 1)
        return (Int64(fraction * Double(Self.scale)), Self.scale)
    }

    private func startSampling() {
        reports.withLock { reports in
            guard reports.timer == nil, !reports.hasEnded else { return }
            let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "BackgroundTasks.progress"))
            timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
            timer.setEventHandler { [weak self] in self?.sample() }
            timer.activate()
            reports.timer = timer
        }
    }
}
