// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The figures of a replay. `bgtask replay` prints them as JSON for programs, or as a table for users.
package struct ReplayReport: Encodable, Hashable, Sendable {
    /// Version of the structure of the report. Keys may be added to a version; none is changed or removed.
    package let format = 1
    package let length: String
    package let trace: String
    package let seed: UInt64
    /// The tasks learned from the history of a host; nil for plugins from another source.
    package var learned: [LearnedTask]?
    package let plugins: [Plugin]
    package let launches: [ReportedLaunch]

    private enum CodingKeys: String, CodingKey { case format, length, trace, seed, learned, plugins, launches }

    /// Waiting times by reason over all plugins, the longest first.
    package var waits: [Wait] {
        var totals: [String: Int64] = [:]
        for wait in plugins.flatMap(\.waits) { totals[wait.reason, default: 0] += wait.total }
        return totals.map { Wait(reason: $0.key, total: $0.value) }
            .sorted { (-$0.total, $0.reason) < (-$1.total, $1.reason) }
    }

    package struct Plugin: Encodable, Hashable, Sendable {
        package let plugin: String
        package let requests: Int
        package let refused: Int
        package let launches: Int
        package let tasks: Int
        package let batches: Int
        package let largestBatch: Int
        package let events: Int
        package let meanWait: Int64
        package let p95Wait: Int64
        /// Waiting times by reason, the longest first.
        package let waits: [Wait]
        package let expirations: [Count]
        package let overruns: Int
        package let outcomes: [Count]
        package let ran: Int64
        package let busiestDay: Int64
        package let dayBudget: Int64

        private enum CodingKeys: String, CodingKey {
            case plugin, requests, refused, launches, tasks, batches, events, waits, expirations, overruns, outcomes
            case largestBatch = "largest_batch"
            case meanWait = "mean_wait_ns"
            case p95Wait = "p95_wait_ns"
            case ran = "ran_ns"
            case busiestDay = "busiest_day_ns"
            case dayBudget = "day_budget_ns"
        }
    }

    package struct Wait: Encodable, Hashable, Sendable {
        package let reason: String
        package let total: Int64

        private enum CodingKeys: String, CodingKey {
            case reason
            case total = "total_ns"
        }
    }

    package struct Count: Encodable, Hashable, Sendable {
        package let name: String
        package let count: Int
    }

    package struct ReportedLaunch: Encodable, Hashable, Sendable {
        package let launch: Int64
        package let plugin: String
        package let lane: String
        package let cause: String
        package let tasks: [String]
        /// Time at which the launch started, in nanoseconds since the replay began.
        package let start: Int64
        package let budget: Int64?
        package let used: Int64?
        package let outcome: String?

        private enum CodingKeys: String, CodingKey {
            case launch, plugin, lane, cause, tasks, outcome
            case start = "start_ns"
            case budget = "budget_ns"
            case used = "used_ns"
        }
    }
}

extension ReplayRecord {
    package var report: ReplayReport {
        ReplayReport(
            length: length.rawValue,
            trace: traceName,
            seed: seed,
            plugins: plugins.compactMap { plugin in tallies[plugin].map { row(of: plugin, $0) } },
            launches: launches.map { launch in
                ReplayReport.ReportedLaunch(
                    launch: launch.number.rawValue,
                    plugin: launch.plugin.text,
                    lane: launch.lane.name,
                    cause: launch.cause.name,
                    tasks: launch.tasks,
                    start: (launch.start - period.lowerBound).wholeNanoseconds,
                    budget: launch.budget?.wholeNanoseconds,
                    used: launch.used?.wholeNanoseconds,
                    outcome: launch.outcome?.rawValue
                )
            }
        )
    }

    private func row(of plugin: PluginIdentifier, _ tally: PluginTally) -> ReplayReport.Plugin {
        let waits = tally.waits.map(\.wholeNanoseconds).sorted()
        return ReplayReport.Plugin(
            plugin: plugin.text,
            requests: tally.requests,
            refused: tally.refusals,
            launches: tally.launches,
            tasks: tally.tasks,
            batches: tally.batches,
            largestBatch: tally.largestBatch,
            events: tally.events,
            meanWait: waits.isEmpty ? 0 : waits.reduce(0) { $0 + $1 / Int64(waits.count) },
            p95Wait: waits.isEmpty ? 0 : waits[(waits.count * 95 + 99) / 100 - 1],
            waits: tally.waitsByReason.map { ReplayReport.Wait(reason: $0.key, total: $0.value.wholeNanoseconds) }
                .sorted { (-$0.total, $0.reason) < (-$1.total, $1.reason) },
            expirations: counts(tally.expirations),
            overruns: tally.overruns,
            outcomes: counts(tally.outcomes),
            ran: tally.ran.wholeNanoseconds,
            busiestDay: tally.busiestDay.wholeNanoseconds,
            dayBudget: dayBudgets[plugin]?.wholeNanoseconds ?? 0
        )
    }

    private func counts(_ counts: [String: Int]) -> [ReplayReport.Count] {
        counts.map { ReplayReport.Count(name: $0.key, count: $0.value) }
            .sorted { (-$0.count, $0.name) < (-$1.count, $1.name) }
    }
}
