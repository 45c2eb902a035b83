// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The way from the host's journal to the queue.
extension FeederCore {
    mutating func readJournal(openClaims: [OpenClaim], _ stored: Int64) -> FeederAction {
        open = Dictionary(openClaims.map { ($0.claim, $0.key) }, uniquingKeysWith: { first, _ in first })
        // The host's number, also when it is lower: a restored or new ledger has numbers below those before.
        acknowledged = stored
        reading = JournalReading(last: acknowledged)
        return .readJournal(after: acknowledged, limit: settings.journalPage)
    }

    mutating func reportEnds(in entries: [ClaimedEntry]) -> FeederAction {
        reading.last = entries.last?.number ?? reading.last
        reading.hasMore = entries.count >= settings.journalPage
        reading.reports = entries.compactMap { entry in
            entry.ending.map { ClaimReport(claim: entry.claim, ending: $0) }
        }.filter { !reported.contains($0) }
        return reading.reports.isEmpty ? continueReading() : .report(reading.reports)
    }

    /// The action after a report: of ends, or of items that return to the queue.
    mutating func afterReport(at now: BootTime) -> FeederAction {
        guard !reading.reports.isEmpty else {
            cycle.returns.prefix(settings.reportPage).forEach { absent[$0.claim] = nil }
            cycle.returns.removeFirst(min(settings.reportPage, cycle.returns.count))
            return remaining(at: now)
        }
        for report in reading.reports { open[report.claim] = nil }
        reported.formUnion(reading.reports)
        reading.reports = []
        // The end of a task frees capacity.
        cycle.mayClaim = true
        return continueReading()
    }

    /// The journal is read to its end before the renewal, so that the queue's list of claims contains no ended claim.
    private mutating func continueReading() -> FeederAction {
        acknowledged = reading.last
        return reading.hasMore
            ? .readJournal(after: acknowledged, limit: settings.journalPage) : .readCapacity
    }
}
