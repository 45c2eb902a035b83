// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The decisions of a feeder, without I/O and clock: each result of an action and the moment give the next action.
///
/// A feeder works in cycles. A cycle reports the ends of claims and claims what the host could start soon. A cycle in
/// which the renewal is due also renews the lease and compares the claims of host and queue. The order is essential:
///
/// 1. The open claims of the host are read before its journal. A claim that is in neither therefore never reached the
///    host.
/// 2. Ends of claims are reported before the claims of the queue are read.
/// 3. The queue renews the lease before the host trusts it.
/// 4. The host cancels the claims that the queue no longer assigns to it before it trusts the lease: it would start
///    them, and another host may have them.
package struct FeederCore: Sendable {
    package let settings: FeederSettings
    var generator: SeededGenerator

    /// The claims that wait or run on the host: those of the last read, with the submissions and ends since.
    package internal(set) var open: [Claim: FleetItem.Key] = [:]
    /// The claims that the queue assigns to the host and that the host does not have, with the moment of the first read
    /// of open claims without them.
    var absent: [Claim: BootTime] = [:]
    /// The moment before the last read of open claims was sent.
    var openRead = BootTime(nanoseconds: 0)
    /// The number of the last journal entry whose claims have been reported.
    package internal(set) var acknowledged: Int64 = 0
    var reading = JournalReading()
    /// The ends of claims that were reported since the last renewal at the host: their entries are read again.
    var reported: Set<ClaimReport> = []

    var terms = LeaseTerms(hosts: 1)
    /// The trust in the lease; nil before the first renewal.
    package internal(set) var window: TrustWindow?
    /// Time of the next renewal; nil when it is due now.
    var nextRenewal: BootTime?
    var renewalSent = BootTime(nanoseconds: 0)
    /// Plugins that the database stored in the last successful renewal.
    var storedPlugins: [FleetPlugin]?
    var sentPlugins: [FleetPlugin]?
    package internal(set) var isDraining = false

    var capacity: [PluginIdentifier: Int] = [:]
    var plugins: [FleetPlugin] = []
    /// Plugins for which the host claims nothing up to a moment, because a passing obstacle refused an item.
    var avoided: [PluginIdentifier: BootTime] = [:]
    var cycle = Cycle()
    var failures = 0

    package init(settings: FeederSettings, generator: SeededGenerator) {
        self.settings = settings
        self.generator = generator
    }

    /// The work of the current cycle that is not done yet.
    struct Cycle {
        var isRenewal = true
        var mayClaim = true
        var cancellations: [Claim] = []
        /// The end of the renewed lease that the host does not know yet; nil without one.
        var newEnd: BootTime?
        var slots: [CampaignSlot] = []
        var returns: [ClaimReport] = []
        var submitting: [FleetItem] = []
    }

    /// The position in the journal and the ends of claims that were read and not reported yet.
    struct JournalReading {
        var last: Int64 = 0
        var hasMore = false
        var reports: [ClaimReport] = []
    }

    /// Returns the next action after the result of the previous one.
    package mutating func handle(_ input: FeederInput, at now: BootTime) -> FeederAction {
        switch input {
        case .started, .woke: return beginCycle(at: now)
        case .openClaims(let claims, let acknowledged): return readJournal(openClaims: claims, acknowledged)
        case .journal(let entries): return reportEnds(in: entries)
        case .reported: return afterReport(at: now)
        case .capacity(let capacity): return renewOrClaim(capacity, at: now)
        case .synced(let answer): return trust(answer, at: now)
        case .leaseSet:
            failures = 0
            reported = []
            return remaining(at: now)
        case .cancelled, .joined: return remaining(at: now)
        case .claimed(let items): return submit(items, at: now)
        case .submitted(let answers): return settle(answers, at: now)
        case .hostFailed, .databaseFailed: return retry(at: now)
        }
    }

    private mutating func beginCycle(at now: BootTime) -> FeederAction {
        let isRenewal = nextRenewal.map { now >= $0 } ?? true
        cycle = Cycle()
        cycle.isRenewal = isRenewal
        cycle.mayClaim = isRenewal
        reading = JournalReading(last: acknowledged)
        if isRenewal { openRead = now }
        return isRenewal ? .readOpenClaims : .readJournal(after: acknowledged, limit: settings.journalPage)
    }

    /// Ends the cycle. The next one renews the lease, compares all claims and repeats what failed: a call or
    /// a statement without an answer may have had its effect. An unreported entry of the journal does not end the wait:
    /// all hosts with one would connect to a database that has just failed.
    private mutating func retry(at now: BootTime) -> FeederAction {
        failures += 1
        let delay = FeederDelays.retry(failures: failures)
        nextRenewal = nil
        let end = now + generator.duration(in: (delay / 2)...delay)
        return .wait(until: end, isWokenByJournal: false)
    }
}
