// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Logging
import Synchronization
import TaskLedger
import TaskModel

/// Reads the payloads of the tasks that a commit starts, on the thread that reports the commit: the decision loop gets
/// them with the report and reads nothing itself.
final class StartedPayloads: Sendable {
    private struct Start {
        let launch: LaunchNumber
        let submissions: Set<SubmissionNumber>
    }

    private let starts = Mutex<[UInt64: [Start]]>([:])
    private let source = Mutex<Ledger?>(nil)

    /// Sets the ledger to read from, before its first commit.
    func read(from ledger: Ledger) { source.withLock { $0 = ledger } }

    /// Remembers what a ticket starts, before it is submitted.
    func expect(_ changes: [LedgerChange], of ticket: UInt64) {
        let started = changes.compactMap { change in
            switch change {
            case .startLaunch(let plan): Start(launch: plan.number, submissions: Set(plan.tasks.map(\.work.number)))
            case .startTask(let launch, let task): Start(launch: launch, submissions: [task.work.number])
            default: nil as Start?
            }
        }
        if !started.isEmpty { starts.withLock { $0[ticket] = started } }
    }

    /// A payload that cannot be read is missing; its launch ends for want of it.
    func payloads(of report: CommitReport, _ log: Logger) -> [SubmissionNumber: [UInt8]] {
        guard let started = starts.withLock({ $0.removeValue(forKey: report.ticket) }) else { return [:] }
        guard case .success = report.result, let ledger = source.withLock({ $0 }) else { return [:] }
        var payloads: [SubmissionNumber: [UInt8]] = [:]
        for start in started {
            do throws(LedgerError) {
                let running = try ledger.payloads(ofLaunch: start.launch)
                payloads.merge(running.filter { start.submissions.contains($0.key) }) { first, _ in first }
            } catch {
                log.error("payloads not read", metadata: ["launch": "\(start.launch)", "problem": "\(error)"])
            }
        }
        return payloads
    }
}
