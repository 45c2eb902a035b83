// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import Synchronization
import TaskLedger

/// Holds the first group open until it is told to let go, and remembers the size of every group.
final class Gate: Sendable {
    private let sizes = Mutex<[Int]>([])
    private let isOpen = DispatchSemaphore(value: 0)
    private let arrivals = AsyncStream.makeStream(of: Void.self)

    var groupSizes: [Int] { sizes.withLock { $0 } }

    var hooks: LedgerHooks {
        LedgerHooks { count in
            let isFirst = self.sizes.withLock { sizes in
                sizes.append(count)
                return sizes.count == 1
            }
            guard isFirst else { return }
            self.arrivals.continuation.yield()
            self.isOpen.wait()
        }
    }

    /// Returns when the first group is about to be committed.
    func reached() async {
        for await _ in arrivals.stream { return }
    }

    func open() { isOpen.signal() }
}

/// Every report in the order of its arrival.
final class Reports: Sendable {
    private let reports = Mutex<[CommitReport]>([])
    private let counts = AsyncStream.makeStream(of: Int.self)

    var tickets: [UInt64] { reports.withLock { $0.map(\.ticket) } }

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

    /// Returns when `count` commits were reported.
    func reached(_ count: Int) async {
        for await reached in counts.stream where reached >= count { return }
    }
}
