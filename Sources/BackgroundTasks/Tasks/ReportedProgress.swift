// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization

/// A progress whose changes the host hears of.
///
/// Foundation has no key-value observing on Linux. What is set here, is heard here; what a child does changes its parent
/// behind every overridable member, so a progress that was given children looks at itself until the task is completed.
// What this adds is in the mutex. Foundation's own progress is `@unchecked Sendable`, but on Linux it takes no lock: a look
// from another thread may fall into the middle of a child's change, and what it sees is checked against the next look.
final class ReportedProgress: Progress, @unchecked Sendable {
    private struct Reports {
        var last: (completed: Int64, total: Int64) = (0, 0)
        var timer: (any DispatchSourceTimer)?
        /// What the last look at the children saw.
        var seen: (completed: Int64, total: Int64) = (0, 0)
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
    }

    /// Says how far it got, for the last time.
    func end() {
        let timer = reports.withLock { reports in
            if let now = units(hasChildren: reports.timer != nil) { send(now, &reports) }
            reports.hasEnded = true
            return reports.timer.take()
        }
        timer?.cancel()
    }

    /// What was set here. Of children it is not known what they are doing at this moment; that is looked at.
    private func report() {
        reports.withLock { reports in
            guard reports.timer == nil, let now = units(hasChildren: false) else { return }
            send(now, &reports)
        }
    }

    /// While a child finishes, it may count twice for a moment, and the host never takes back how far a task got. So it is
    /// told what two looks in a row agree on: the less of both.
    private func look() {
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
        // Under the lock, for the order of two threads' reports; it never blocks.
        task.report(now.completed, of: now.total)
    }

    /// Nil before anything is known.
    private func units(hasChildren: Bool) -> (completed: Int64, total: Int64)? {
        let (completed, total) = (max(0, super.completedUnitCount), super.totalUnitCount)
        // How much there is to do is not known, but what is done is: it goes on, and shows as next to nothing.
        if total <= 0 { return completed > 0 ? (completed, .max) : nil }
        if !hasChildren { return (min(completed, total), total) }
        let fraction = min(max(0, fractionCompleted), 1)
        return (Int64(fraction * Double(Self.scale)), Self.scale)
    }

    private func startLooking() {
        reports.withLock { reports in
            guard reports.timer == nil, !reports.hasEnded else { return }
            let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "BackgroundTasks.progress"))
            timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
            timer.setEventHandler { [weak self] in self?.look() }
            timer.activate()
            reports.timer = timer
        }
    }
}
