// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
package import TaskModel

/// Tasks of ended launches, for statistics.
package struct TaskSamples: Hashable, Sendable {
    /// One task of an ended launch, with the facts of the launch.
    package struct Sample: Hashable, Sendable {
        package let launch: LaunchNumber
        package let plugin: PluginIdentifier
        /// Running time of the launch; nil when the host did not observe its end.
        package let used: Duration?
        /// The budget of the launch; nil without a fixed budget.
        package let budget: Duration?
        package let kind: TaskKind
        /// The last outcome of the task in the launch; nil when none was recorded.
        package let outcome: TaskOutcome?
        /// Time from the moment at which the task was due, by its own times, to the start of the launch. Zero for a
        /// task that joined a running launch.
        package let delay: Duration

        package init(
            launch: LaunchNumber,
            plugin: PluginIdentifier,
            used: Duration?,
            budget: Duration?,
            kind: TaskKind,
            outcome: TaskOutcome?,
            delay: Duration
        ) {
            self.launch = launch
            self.plugin = plugin
            self.used = used
            self.budget = budget
            self.kind = kind
            self.outcome = outcome
            self.delay = delay
        }
    }

    /// The tasks; those of one launch follow each other.
    package private(set) var samples: [Sample] = []
    /// Whether every task of the selected launches is included.
    package private(set) var isComplete = true

    package init() {}

    /// Maximum number of launches that are read for each plugin, or for all plugins together.
    package static let mostLaunches = 20_000
    /// Maximum number of tasks.
    package static let mostTasks = 100_000

    fileprivate mutating func add(_ sample: Sample) -> Bool {
        if samples.count < Self.mostTasks {
            samples.append(sample)
        } else {
            isComplete = false
        }
        return isComplete
    }

    fileprivate mutating func endRead(launches: Int, all isAll: Bool) {
        if launches >= Self.mostLaunches, isAll { isComplete = false }
    }
}

extension Ledger {
    /// The tasks of launches that ended at `since` or later, the newest launches of each plugin. The numbers of
    /// launches and tasks are bounded by `TaskSamples`.
    ///
    /// - Parameter plugins: the plugins whose launches are read; empty for all plugins.
    package func taskSamples(
        of plugins: [PluginIdentifier] = [],
        since: WallTime
    ) throws(LedgerError) -> TaskSamples {
        try read("reading the statistics") { database in
            var samples = TaskSamples()
            if plugins.isEmpty { try database.addTasks(of: nil, since: since, to: &samples) }
            for plugin in plugins { try database.addTasks(of: plugin, since: since, to: &samples) }
            return samples
        }
    }

    /// The time of submission of the oldest pending request, or the time at which the oldest waiting event was created;
    /// nil without pending work. Reads one row of each table.
    package func oldestPending() throws(LedgerError) -> WallTime? {
        try read("reading the oldest pending work") { database in
            let times = try TaskSampleStatements.oldest.flatMap { sql in
                try database.rows(sql, of: "request") { try $0.wallTime("since") }
            }
            return times.min()
        }
    }
}

extension Database {
    fileprivate func addTasks(
        of plugin: PluginIdentifier?,
        since: WallTime,
        to samples: inout TaskSamples
    ) throws {
        let limit = TaskSamples.mostLaunches
        let (sql, arguments): (String, StatementArguments) =
            if let plugin {
                (TaskSampleStatements.ofPlugin, [plugin.text, limit])
            } else {
                (TaskSampleStatements.all, [since.nanoseconds, limit])
            }
        var launches = 0
        var last: LaunchNumber?
        // The launches of a plugin are read by number, and may have ended before the time.
        var isRecent = false
        try forEachRow(sql, arguments, of: "launch") { row in
            let number = try row.launch("number")
            if number != last {
                launches += 1
                last = number
            }
            let end = try row.optionalWallTime("ended_at")
            isRecent = end.map { $0 >= since } ?? false
            guard isRecent else { return }
            let start = try row.wallTime("started_at")
            let sample = TaskSamples.Sample(
                launch: number,
                plugin: try row.plugin(),
                used: try row.optionalDuration("used_ns"),
                budget: try row.optionalDuration("budget_ns"),
                kind: try row.code("kind"),
                outcome: try row.optional("outcome") { try $0.name($1) },
                delay: max(.zero, start - (try row.wallTime("due")))
            )
            _ = samples.add(sample)
        }
        samples.endRead(launches: launches, all: isRecent)
    }
}

enum TaskSampleStatements {
    private static let columns = """
        SELECT past.number AS number, ended_at, started_at, identifier, used_ns, budget_ns, task.kind AS kind,
            task.outcome AS outcome,
            max(submitted_at, ifnull(earliest_begin, submitted_at), ifnull(not_before, submitted_at)) AS due
        """
    private static let launch = "number, plugin, started_at, ended_at, budget_ns, used_ns"
    // The cross joins keep the launches as the outer loop, newest first, so that each launch costs two lookups.
    private static let joined = """
        AS past CROSS JOIN plugin ON plugin.id = past.plugin CROSS JOIN task ON task.launch = past.number
        """

    static let all = """
        \(columns) FROM (
            SELECT \(launch) FROM launch WHERE ended_at >= ? ORDER BY ended_at DESC LIMIT ?
        ) \(joined)
        """

    static let ofPlugin = """
        \(columns) FROM (
            SELECT \(launch) FROM launch WHERE plugin = (SELECT id FROM plugin WHERE identifier = ?)
            ORDER BY number DESC LIMIT ?
        ) \(joined)
        """

    static let oldest = [
        "SELECT number, submitted_at AS since FROM request ORDER BY number LIMIT 1",
        "SELECT number, created_at AS since FROM event ORDER BY number LIMIT 1",
    ]
}
