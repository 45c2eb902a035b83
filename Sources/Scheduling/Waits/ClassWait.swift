// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The wait of one class of work of a plugin: the reasons that block the class now, and the stretches of its history
/// that are not written yet. A stretch is a time with the same reasons.
///
/// A stretch with a lasting reason is written once it has lasted for `shortest`. A stretch with only momentary reasons
/// is written when it is over, if it lasted for `shortest`. So neither short changes nor submissions cost a row.
struct ClassWait: Sendable {
    private struct Stretch: Hashable, Sendable {
        let reasons: [String]
        let since: WallTime
        let until: WallTime
    }

    private var reasons: [String] = []
    private var isLasting = false
    private var since = WallTime(nanoseconds: 0)
    /// Ended stretches that had only momentary reasons and lasted for at least `shortest`, oldest first; not written
    /// yet.
    private var past: [Stretch] = []
    /// Codes of the reasons whose rows are open in the ledger; nil after a failed commit, when they are unknown.
    private var written: [String]?
    /// The earliest time at which the present reasons and other unwritten changes are written to the ledger.
    private(set) var settlesAt = MonotonicTime(nanoseconds: 0)
    var deferral: Deferral
    /// The time since which nothing but other work and the host delays the class; nil while another reason blocks it,
    /// and before its first evaluation.
    private(set) var unblockedSince: WallTime?

    /// The minimum duration for which the same reasons apply before the wait is written to the ledger.
    static let shortest: Duration = .seconds(1)

    init(written: Set<String> = [], deferral: Deferral = Deferral()) {
        self.written = written.sorted()
        self.deferral = deferral
    }

    private var lasting: [String] { isLasting ? reasons : [] }

    /// Whether a change of the history or the deferral still has to be written.
    var isChanged: Bool { !past.isEmpty || lasting != written || deferral.isChanged }

    /// Whether the class has no reasons and no deferral. Its changes may still have to be written.
    var isIdle: Bool { reasons.isEmpty && deferral.isEmpty }

    /// Sets the present reasons. An empty list means that the work of the class does not wait.
    mutating func note(_ new: [Reason], at now: Moment) {
        noteBlocking(by: new, at: now.wall)
        let codes = new.map { $0.code }.sorted()
        if codes == reasons { return }
        if !reasons.isEmpty, !isLasting, now.wall - since >= Self.shortest {
            past.append(Stretch(reasons: reasons, since: since, until: now.wall))
        }
        (reasons, since) = (codes, now.wall)
        isLasting = new.contains { !$0.isMomentary }
        settle(after: Self.shortest, at: now)
    }

    private mutating func noteBlocking(by reasons: [Reason], at now: WallTime) {
        let isBlocked = reasons.contains { ![.otherWork, .host].contains($0.kind.row.group) }
        unblockedSince = isBlocked ? nil : unblockedSince ?? now
    }

    mutating func settle(after delay: Duration, at now: Moment) { settlesAt = now.monotonic + delay }

    /// The changes to be written now. From this call on, the caller's commit is assumed to succeed: the changes count
    /// as written until `wasNotWritten` is called.
    mutating func changes(of key: WaitKey) -> [LedgerChange] {
        var changes: [LedgerChange] = []
        var open: (reasons: [String]?, until: WallTime?) = (written, nil)
        for stretch in past {
            if let end = open.until, end < stretch.since { changes.append(.recordWait(key, reasons: [], at: end)) }
            changes.append(.recordWait(key, reasons: stretch.reasons, at: stretch.since))
            open = (stretch.reasons, stretch.until)
        }
        if open.reasons != lasting {
            changes.append(.recordWait(key, reasons: lasting, at: lasting.isEmpty ? open.until ?? since : since))
        }
        if deferral.isChanged { changes.append(.setDeferrals(key, deferral.periods)) }
        (past, written) = ([], lasting)
        deferral.wasWritten()
        return changes
    }

    /// Marks the contents of the ledger as unknown, because the commit failed: the present state is written again.
    mutating func wasNotWritten() {
        written = nil
        deferral.wasNotWritten()
    }

    /// Moves the start of the present reasons and the times of the deferral to the present if they are in the future,
    /// after the wall clock was set back. Past stretches stay unchanged.
    mutating func reckonAnew(at now: WallTime) {
        since = min(since, now)
        unblockedSince = unblockedSince.map { min($0, now) }
        deferral.reckonAnew(at: now)
    }
}
