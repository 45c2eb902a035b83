// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization

/// A progress whose changes the host hears of.
///
/// Foundation has no key-value observing on Linux. What is set here, is heard here; what a child does changes its parent
/// behind every overridable member, so a progress that was given children looks at itself until the task is completed.
// Foundation's own progress is `@unchecked Sendable`, and this adds nothing but the mutex.
final class ReportedProgress: Progress, @unchecked Sendable {
    private struct Reports {
        var last: (completed: Int64, total: Int64) = (0, 0)
        var timer: (any DispatchSourceTimer)?
        var hasEnded = false
    }

    /// Often enough for people who watch; a hundredth of the time after which a task counts as standing still.
    private static let interval = DispatchTimeInterval.milliseconds(250)
    /// What the host is told in place of the units once there are children, whose share is no whole number of them.
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

    /// Adds what was pending, when no child took it.
    override func resignCurrent() {
        super.resignCurrent()
        report()
    }

    /// Also how a progress that is made while this one is current becomes its child.
    override func addChild(_ child: Progress, withPendingUnitCount unitCount: Int64) {
        super.addChild(child, withPendingUnitCount: unitCount)
        startLooking()
        report()
    }

    /// Says how far it got, for the last time.
    func end() {
        report()
        let timer = reports.withLock { reports in
            reports.hasEnded = true
            return reports.timer.take()
        }
        timer?.cancel()
    }

    private func report() {
        reports.withLock { reports in
            guard !reports.hasEnded, let now = units(hasChildren: reports.timer != nil), now != reports.last else {
                return
            }
            reports.last = now
            // Under the lock, for the order of two threads' reports; it never blocks.
            task.report(now.completed, of: now.total)
        }
    }

    /// Nil while it is not known how much there is to do.
    private func units(hasChildren: Bool) -> (completed: Int64, total: Int64)? {
        let total = super.totalUnitCount
        guard total > 0 else { return nil }
        if !hasChildren { return (min(max(0, super.completedUnitCount), total), total) }
        let fraction = min(max(0, fractionCompleted), 1)
        return (Int64(fraction * Double(Self.scale)), Self.scale)
    }

    private func startLooking() {
        reports.withLock { reports in
            guard reports.timer == nil, !reports.hasEnded else { return }
            let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "BackgroundTasks.progress"))
            timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
            timer.setEventHandler { [weak self] in self?.report() }
            timer.activate()
            reports.timer = timer
        }
    }
}
