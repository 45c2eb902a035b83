// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HummingbirdCore
import PluginCatalogue
import Scheduling
import TaskLedger
import TaskModel

// Statistics from the ledger, and metrics.
extension ControlRoutes {
    func statsQuery(_ parameters: QueryParameters) async throws -> StatsQuery {
        let now = try await read { _, now in now.wall }
        return try StatsQuery(reading: parameters.value, now: now)
    }

    func statistics(_ query: StatsQuery) async throws -> StatsReply {
        let until = try await read { _, now in now.wall }
        let state = loop.state
        let (rows, isComplete) = try await recorded { ledger in
            let samples = try ledger.taskSamples(of: query.plugins, since: query.since)
            return (samples.rows, samples.isComplete)
        }
        for plugin in query.plugins where !rows.contains(where: { $0.plugin == plugin.text }) {
            try await requireInstalled(plugin)
        }
        let disk = try await threads.run { DiskUsage.measured(state, of: query.plugins) }
        return StatsReply(since: query.since, until: until, isComplete: isComplete, rows: rows, disk: disk)
    }

    /// The metrics in a text format. The cost depends on the number of series, and not on that of requests.
    func metrics(_ format: MetricsFormat) async throws -> Response {
        let (now, gauges, running) = try await read { scheduler, now in
            (now.wall, scheduler.workGauges(at: now), RunningTasks(scheduler))
        }
        let file = loop.state.ledgerFile
        let (oldest, size, usage) = try await recorded { ledger in
            (try ledger.oldestPending(), DiskUsage.ledgerBytes(file), ProcessUsage.now)
        }
        let readings = MetricsReadings(
            gauges: gauges,
            running: running.counts,
            oldestPending: oldest.map { max(.zero, now - $0) } ?? .zero,
            conditions: conditions.inForce,
            isLedgerWritable: ledgerHealth.failure == nil,
            ledgerBytes: size,
            plugins: catalogue.contents.entries,
            startedAt: facts.startedAt.wall,
            usage: usage
        )
        var text = MetricsText(format)
        text.add(metrics.counts, readings)
        return Response(text.complete, type: format.contentType)
    }
}

/// The number of running tasks by plugin and kind.
private struct RunningTasks: Sendable {
    var counts: [TaskSeries: Int] = [:]

    init(_ scheduler: borrowing Scheduler) {
        for launch in scheduler.runningLaunches {
            for task in launch.unfinished {
                let series = TaskSeries(plugin: launch.plan.plugin.identifier.text, kind: task.work.kind.name)
                counts[series, default: 0] += 1
            }
        }
    }
}
