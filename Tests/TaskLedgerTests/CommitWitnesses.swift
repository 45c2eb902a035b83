// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import Synchronization
import TaskLedger
import TaskModel

/// A hook for commits that holds the first group until `open`, and records the number of commits in every group.
final class Gate: Sendable {
    private let sizes = Mutex<[Int]>([])
    private let isOpen = DispatchSemaphore(value: 0)
    private let arrivals = AsyncStream.makeStream(of: Void.self)

    var groupSizes: [Int] { sizes.withLock { $0 } }

    /// Hooks that hold the first group. Their clock stands still, so that a slow machine does not end a group.
    var hooks: LedgerHooks {
        let hold: @Sendable (Int) -> Void = { count in
            let isFirst = self.sizes.withLock { sizes in
                sizes.append(count)
                return sizes.count == 1
            }
            guard isFirst else { return }
            self.arrivals.continuation.yield()
            self.isOpen.wait()
        }
        return LedgerHooks(beforeGroupCommit: hold, clock: { .zero })
    }

    /// Waits until the first group is about to be committed.
    func reached() async {
        for await _ in arrivals.stream { return }
    }

    func open() { isOpen.signal() }
}

/// Collects all commit reports, in the order of arrival.
final class Reports: Sendable {
    private let reports = Mutex<[CommitReport]>([])
    private let counts = AsyncStream.makeStream(of: Int.self)

    var tickets: [UInt64] { reports.withLock { $0.map(\.ticket) } }

    var payloads: [UInt64: [SubmissionNumber: [UInt8]]] {
        reports.withLock { reports in
            Dictionary(reports.map { ($0.ticket, $0.payloads) }) { first, _ in first }
        }
    }

    var failures: [UInt64: LedgerError] {
        var failures: [UInt64: LedgerError] = [:]
        for report in reports.withLock({ $0 }) {
            if case .failure(let error) = report.result { failures[report.ticket] = error }
        }
        return failures
    }

    func collect(_ group: [CommitReport]) {
        let count = reports.withLock { reports in
            reports += group
            return reports.count
        }
        counts.continuation.yield(count)
    }

    /// Waits until `count` commits were reported.
    func reached(_ count: Int) async {
        for await reached in counts.stream where reached >= count { return }
    }
}

/// A ledger whose first group is held while a test submits tickets behind it.
struct HeldLedger {
    let gate = Gate()
    let reports = Reports()
    let ledger: Ledger

    /// Creates the ledger, submits ticket 0, and holds the group with this ticket before its commit.
    ///
    /// - Parameter step: The advance of the writer's clock at each reading; zero for a clock that stands still.
    init(clockStep step: Duration = .zero) async throws {
        let now = Mutex<Duration>(.zero)
        var hooks = gate.hooks
        hooks.clock = {
            now.withLock { now in
                now += step
                return now
            }
        }
        ledger = try Ledger.inMemory(hooks: hooks, onCommit: reports.collect)
        ledger.submit(ticket: 0, changes: [])
        await gate.reached()
    }

    /// Submits one ticket for each list of changes, numbered from 1, and releases the first group. Returns the tickets
    /// in the order of their reports.
    func write(_ tickets: [[LedgerChange]]) async -> [UInt64] {
        for (index, changes) in tickets.enumerated() { ledger.submit(ticket: UInt64(index + 1), changes: changes) }
        gate.open()
        await reports.reached(tickets.count + 1)
        return Array(reports.tickets.dropFirst())
    }
}

/// Collects the changes of the groups that the observer of a ledger receives.
final class GroupWitness: Sendable {
    private let groups = Mutex<[CommittedGroup]>([])

    var changes: [[LedgerChange]] { groups.withLock { $0.flatMap(\.changes) } }
    var added: [JournalEntry] { groups.withLock { $0.flatMap(\.added) } }

    func add(_ group: CommittedGroup) { groups.withLock { $0.append(group) } }
}
