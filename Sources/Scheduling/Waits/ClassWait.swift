// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Why the ready work of one class of a plugin waits, as the history will show it.
///
/// A stretch of waiting is written once it has stood for a moment; one that passes by itself or with the work of others,
/// only when it is over. So neither a flicker nor a submission costs a row.
struct ClassWait: Sendable {
    private struct Stretch: Hashable, Sendable {
        let reasons: [String]
        let since: WallTime
        let until: WallTime
    }

    private var reasons: [String] = []
    private var isLasting = false
    private var since = WallTime(nanoseconds: 0)
    /// Momentary stretches that are over and took their time, oldest first.
    private var past: [Stretch] = []
    /// Codes of the rows that are open in the ledger; nil when a failed commit leaves that unknown.
    private var written: [String]?
    /// When the present stretch has stood for long enough to be written.
    private(set) var settlesAt = MonotonicTime(nanoseconds: 0)
    var deferral: Deferral

    /// Shorter stretches are not recorded.
    static let shortest: Duration = .seconds(1)

    init(written: Set<String> = [], deferral: Deferral = Deferral()) {
        self.written = written.sorted()
        self.deferral = deferral
    }

    private var lasting: [String] { isLasting ? reasons : [] }

    /// Something of it is still to be written.
    var isChanged: Bool { !past.isEmpty || lasting != written || deferral.isChanged }

    /// It waits for nothing, and the ledger knows.
    var isIdle: Bool { reasons.isEmpty && deferral.isEmpty && !isChanged }

    /// The work waits for these reasons from now on; without reasons it does not wait.
    mutating func note(_ new: [Reason], at now: Moment) {
        let codes = new.map { $0.code }.sorted()
        if codes == reasons { return }
        if !reasons.isEmpty, !isLasting, now.wall - since >= Self.shortest {
            past.append(Stretch(reasons: reasons, since: since, until: now.wall))
        }
        (reasons, since) = (codes, now.wall)
        isLasting = new.contains { !$0.isMomentary }
        settle(after: Self.shortest, at: now)
    }

    mutating func settle(after delay: Duration, at now: Moment) { settlesAt = now.monotonic + delay }

    /// What is to be written now; afterwards the ledger is taken to know it.
    mutating func changes(of key: WaitKey) -> [LedgerChange] {
        var changes: [LedgerChange] = []
        var open: (reasons: [String]?, until: WallTime?) = (written, nil)
        for stretch in past {
            if let end = open.until, end < stretch.since { changes.append(.recordWait(key, reasons: [], at: end)) }
            changes.append(.recordWait(key, reasons: stretch.reasons, at: stretch.since))
            open = (stretch.reasons, stretch.until)
        }
        if open.reasons != lasting || open.until != nil {
            changes.append(.recordWait(key, reasons: lasting, at: lasting.isEmpty ? open.until ?? since : since))
        }
        if deferral.isChanged { changes.append(.setDeferrals(key, deferral.periods)) }
        (past, written) = ([], lasting)
        deferral.wasWritten()
        return changes
    }

    /// The commit failed: what is open in the ledger is not known, until the present state is written.
    mutating func wasNotWritten() {
        written = nil
        deferral.wasNotWritten()
    }

    /// The wall clock was set back.
    mutating func reckonAnew(at now: WallTime) {
        since = min(since, now)
        deferral.reckonAnew(at: now)
    }
}
