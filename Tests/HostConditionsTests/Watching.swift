// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import HostConditions

/// A machine's conditions with a stream of all reports about them, for the duration of one test.
struct Watching {
    let conditions: SystemConditions
    let reports: AsyncStream<ConditionsReport>

    init(
        _ roots: SystemRoots,
        _ thresholds: ConditionThresholds = ConditionThresholds(),
        configured: ScriptedConditions = ScriptedConditions()
    ) throws {
        let (reports, reported) = AsyncStream.makeStream(of: ConditionsReport.self)
        self.reports = reports
        conditions = try SystemConditions(
            roots: roots,
            thresholds: thresholds,
            configured: configured,
            launchUsage: LaunchUsage { nil }
        ) { event in
            if case .changed(let report) = event { reported.yield(report) }
        }
    }
}

/// The locked containers of successive reports, without repetitions: a report follows the change of any condition, and
/// parallel tests change those of the machine.
struct ContainerLockChanges {
    private var reports: AsyncStream<ConditionsReport>.AsyncIterator
    private var last: [PluginIdentifier: Bool]?

    init(_ watching: Watching) { reports = watching.reports.makeAsyncIterator() }

    mutating func next() async -> [PluginIdentifier: Bool]? {
        while let locks = await reports.next()?.conditions.containerLocks {
            guard locks != last else { continue }
            last = locks
            return locks
        }
        return nil
    }
}

extension ConditionsReport.Origin {
    var isMeasured: Bool { if case .sensor = source { true } else { false } }
}
