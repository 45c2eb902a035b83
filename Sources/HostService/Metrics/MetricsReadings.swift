// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Scheduling
import TaskModel

/// The present values of gauges and constant metrics, read for one scrape.
struct MetricsReadings: Sendable {
    let gauges: WorkGauges
    let running: [TaskSeries: Int]
    let oldestPending: Duration
    let conditions: ConditionsReply
    let isLedgerWritable: Bool
    let ledgerBytes: Int64
    let plugins: [PluginEntry]
    let startedAt: WallTime
    let usage: ProcessUsage

    /// The numbers of transfers without an end.
    var openTransfers: [(state: TransferState, count: Int)] {
        let ofTransfers = running.filter { $0.key.kind == TaskKind.transfer.name }
        return [
            (.waiting, gauges.pending[.transfer] ?? 0), (.running, ofTransfers.reduce(0) { $0 + $1.value }),
        ]
    }
}

extension MetricsText {
    /// Adds every metric, in the order of `Metric`.
    mutating func add(_ counts: MetricsKeeper.Counts, _ readings: MetricsReadings) {
        for metric in Metric.allCases { add(metric, Self.series(of: metric, counts, readings)) }
    }

    private static func series(
        of metric: Metric,
        _ counts: MetricsKeeper.Counts,
        _ readings: MetricsReadings
    ) -> [Series] {
        let tally = counts.tally
        return switch metric {
        case .taskEligibleDelay: tally.delays.map { Series($0.labels, $1) }
        case .taskWait: tally.waits.map { Series($0.labels, $1) }
        case .taskRun: tally.runs.map { Series($0.task.labels + [$0.outcome.rawValue], $1) }
        case .taskOutcomes:
            tally.outcomes.map {
                Series($0.task.labels + [$0.outcome.rawValue, $0.blame?.rawValue ?? ""], Double($1))
            }
        case .tasksPending: TaskKind.allCases.map { Series([$0.name], Double(readings.gauges.pending[$0] ?? 0)) }
        case .tasksRunning: readings.running.map { Series($0.labels, Double($1)) }
        case .oldestEligible:
            Lane.allCases.map { Series([$0.name], (readings.gauges.capacityWaits[$0] ?? .zero).inSeconds) }
        case .oldestPending: [Series(readings.oldestPending.inSeconds)]
        case .pushes: PushFate.allCases.map { Series([$0.rawValue], Double(tally.pushes[$0] ?? 0)) }
        case .transfersOpen: readings.openTransfers.map { Series([$0.state.name], Double($0.count)) }
        case .transfers: tally.transfers.map { Series([$0.direction.name, $0.result], Double($1)) }
        case .transferBytes: tally.transferBytes.map { Series([$0.name], Double($1)) }
        case .claimsOpen:
            readings.gauges.leases.flatMap {
                [
                    Series([$0.name, "true"], Double($0.boundClaims)),
                    Series([$0.name, "false"], Double($0.unboundClaims)),
                ]
            }
        case .leaseTrusted: readings.gauges.leases.map { Series([$0.name], $0.isTrusted ? 1 : 0) }
        case .leaseContactAge:
            readings.gauges.leases.compactMap { lease in
                lease.contactAge.map { Series([lease.name], $0.inSeconds) }
            }
        case .launches: tally.launches.map { Series($0.launch.labels + [$0.outcome.rawValue], Double($1)) }
        case .launchBudgetUsed: tally.budgetUses.map { Series($0.labels, $1) }
        case .launchOverrun: tally.overruns.map { Series($0.labels, $1) }
        case .condition:
            Condition.allCases.compactMap { condition in
                readings.conditions[condition].holds.map { Series([condition.name], $0 ? 1 : 0) }
            }
        case .journalEvents: tally.events.map { Series([$0.event, $0.blame.rawValue], Double($1)) }
        case .ledgerCommit: [Series(tally.commitTimes)]
        case .ledgerCommitBatch: [Series(tally.commitBatches)]
        case .ledgerWritable: [Series(readings.isLedgerWritable ? 1 : 0)]
        case .ledgerSize: [Series(Double(readings.ledgerBytes))]
        case .controlRequest: counts.requests.map { Series([$0.route, $0.method, "\($0.code)"], $1) }
        case .plugin: readings.plugins.prefix(PluginLabels.most).map { Series($0.labels, 1) }
        case .build: [Series([Host.version], 1)]
        case .processStart: [Series(Double(readings.startedAt.nanoseconds) / 1_000_000_000)]
        case .processCPU: [Series(readings.usage.cpuSeconds)]
        case .processMemory: [Series(Double(readings.usage.residentBytes))]
        case .processDescriptors: [Series(Double(readings.usage.descriptors))]
        }
    }
}

extension TaskSeries {
    fileprivate var labels: [String] { [plugin, kind] }
}

extension LaunchSeries {
    fileprivate var labels: [String] { [plugin, lane] }
}

extension PluginEntry {
    fileprivate var labels: [String] { [identifier.text, version.terminalSafe, role.name, library.digest] }
}
