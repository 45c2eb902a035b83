// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/stats`: statistics of the launches and tasks since a time.
package struct StatsReply: Codable, Hashable, Sendable {
    package let since: Timestamp
    private let sinceSecond: CalendarTime
    package let until: Timestamp
    private let untilSecond: CalendarTime
    /// Whether every launch since `since` was read. False when there were more than the limit: the newest were read.
    package let isComplete: Bool
    /// One row for each plugin and kind with a launch, ordered by plugin, then by kind.
    package let rows: [Row]
    package let disk: Disk

    package init(since: WallTime, until: WallTime, isComplete: Bool, rows: [Row], disk: Disk) {
        self.since = Timestamp(since)
        sinceSecond = CalendarTime(secondOf: self.since)
        self.until = Timestamp(until)
        untilSecond = CalendarTime(secondOf: self.until)
        self.isComplete = isComplete
        self.rows = rows
        self.disk = disk
    }

    private enum CodingKeys: String, CodingKey {
        case rows, disk
        case since = "since_ns"
        case sinceSecond = "since"
        case until = "until_ns"
        case untilSecond = "until"
        case isComplete = "complete"
    }

    /// The statistics of one plugin and one kind.
    package struct Row: Codable, Hashable, Sendable {
        package let plugin: String
        package let kind: String
        /// The launches with a task of the kind. A launch with tasks of two kinds counts in both rows.
        package let launches: Int
        package let succeeded: Int
        /// The tasks that neither succeeded nor were interrupted.
        package let failed: Int
        /// The tasks that were interrupted, or that continued at their cursor, and ran again.
        package let interrupted: Int
        /// Percentage of `succeeded` in the sum of `succeeded` and `failed`; nil when the sum is 0.
        package let successPercent: Int?
        /// Time from the moment at which a task was due to the start of its launch.
        package let delay: Durations
        /// Running time of the launches; nil when the host observed none of their ends.
        package let runTime: Durations?
        /// Running time of the launches in percent of their budgets; nil when none had a budget.
        package let budgetUsed: Percents?

        package init(
            plugin: PluginIdentifier,
            kind: TaskKind,
            launches: Int,
            succeeded: Int,
            failed: Int,
            interrupted: Int,
            delay: Durations,
            runTime: Durations?,
            budgetUsed: Percents?
        ) {
            self.plugin = plugin.text
            self.kind = kind.name
            self.launches = launches
            self.succeeded = succeeded
            self.failed = failed
            self.interrupted = interrupted
            let ended = succeeded + failed
            successPercent = ended == 0 ? nil : succeeded * 100 / ended
            self.delay = delay
            self.runTime = runTime
            self.budgetUsed = budgetUsed
        }

        private enum CodingKeys: String, CodingKey {
            case plugin, kind, launches, succeeded, failed, interrupted, delay
            case successPercent = "success_percent"
            case runTime = "run_time"
            case budgetUsed = "budget_used"
        }
    }

    package struct Durations: Codable, Hashable, Sendable {
        package let median: Nanoseconds
        package let p95: Nanoseconds

        /// Creates the percentiles of durations; nil for none.
        package init?(_ values: [Duration]) {
            guard let found = Percentiles(values) else { return nil }
            (median, p95) = (Nanoseconds(found.median), Nanoseconds(found.p95))
        }

        private enum CodingKeys: String, CodingKey {
            case median = "median_ns"
            case p95 = "p95_ns"
        }
    }

    package struct Percents: Codable, Hashable, Sendable {
        package let median: Int
        package let p95: Int

        /// Creates the percentiles of percentages; nil for none.
        package init?(_ values: [Int]) {
            guard let found = Percentiles(values) else { return nil }
            (median, p95) = (found.median, found.p95)
        }

        private enum CodingKeys: String, CodingKey {
            case median = "median_percent"
            case p95 = "p95_percent"
        }
    }

    /// The disk use of the host.
    package struct Disk: Codable, Hashable, Sendable {
        /// The size of the ledger with its write-ahead log.
        package let ledgerBytes: Int64
        /// The free space on the disk of the containers; nil when it cannot be read.
        package let freeBytes: Int64?
        /// The containers, ordered by plugin. Beyond a bound they are left out.
        package let containers: [Container]

        package init(ledgerBytes: Int64, freeBytes: Int64?, containers: [Container]) {
            self.ledgerBytes = ledgerBytes
            self.freeBytes = freeBytes
            self.containers = containers
        }

        private enum CodingKeys: String, CodingKey {
            case containers
            case ledgerBytes = "ledger_bytes"
            case freeBytes = "free_bytes"
        }

        package struct Container: Codable, Hashable, Sendable {
            /// The main plugin to which the container belongs.
            package let plugin: String
            /// The bytes of disk that the container uses; nil when it has too many files to count.
            package let bytes: Int64?

            package init(plugin: String, bytes: Int64?) {
                self.plugin = plugin
                self.bytes = bytes
            }
        }
    }
}

/// The median and the 95th percentile of values by the nearest rank: each is one of the values.
private struct Percentiles<Value: Comparable> {
    let median: Value
    let p95: Value

    init?(_ values: [Value]) {
        if values.isEmpty { return nil }
        let sorted = values.sorted()
        // The value at rank n of 100 has at least n percent of the values at or below it.
        func value(_ percent: Int) -> Value { sorted[(sorted.count * percent + 99) / 100 - 1] }
        (median, p95) = (value(50), value(95))
    }
}
