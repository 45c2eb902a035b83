// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import TaskModel

/// A selection of tasks whose last run ended without success, and of which no request is pending or running. Each empty
/// set selects everything.
struct RetrySelector: Hashable {
    static let kindsToRetry = TaskKind.allCases.filter { $0 != .event && $0 != .transfer }
    /// The outcomes after which no request of the task is left.
    static let outcomesToRetry: [TaskOutcome] = [.failed, .expired, .overran, .notRegistered, .abandoned]
    /// Number of launches that are searched from the newest one.
    static let mostLaunches = LimitArgument.range.upperBound

    var plugins: [PluginIdentifier] = []
    var kinds: Set<String> = []
    var identifiers: Set<String> = []
    var outcomes: Set<String> = []
    var since: WallTime?
    var until: WallTime?

    var isEmpty: Bool { self == RetrySelector() }

    /// The selected tasks, the newest launch first.
    func tasks(of client: ControlClient) async throws -> RetryList {
        var launches: [LaunchReply] = []
        for plugin in FilterValues.choices(plugins) {
            launches += try await client.launches(
                limit: Self.mostLaunches,
                plugin: plugin,
                isOld: { launch in since.map { launch.startedAt.wall < $0 } ?? false },
                where: { _ in true }
            )
        }
        let work = try await client.tasks()
        let present = Set(work.pending.map(\.identifier) + work.running.compactMap(\.identifier))
        let rows = lastRuns(in: launches).filter { !present.contains($0.task) && selects($0) }
        if rows.isEmpty { try await client.requireKnown(identifiers) }
        return RetryList(rows: rows)
    }

    /// The newest run of each task.
    private func lastRuns(in launches: [LaunchReply]) -> [RetryList.Row] {
        var seen: Set<String> = []
        return launches.sorted { $0.launch > $1.launch }.flatMap { launch in
            launch.tasks.compactMap { task in
                guard let identifier = task.identifier, seen.insert(identifier).inserted else { return nil }
                return RetryList.Row(identifier, task, in: launch)
            }
        }
    }

    private func selects(_ row: RetryList.Row) -> Bool {
        let ends = outcomes.isEmpty ? Set(Self.outcomesToRetry.map(\.rawValue)) : outcomes
        guard let outcome = row.outcome, ends.contains(outcome) else { return false }
        let start = row.startedAt.wall
        return (kinds.isEmpty || kinds.contains(row.kind)) && (identifiers.isEmpty || identifiers.contains(row.task))
            && (since.map { start >= $0 } ?? true) && (until.map { start < $0 } ?? true)
    }
}

/// The tasks that `task retry` would submit again.
struct RetryList: Encodable, ListReply {
    /// The last run of a task.
    struct Row: Encodable {
        let task: String
        let plugin: String
        let kind: String
        let submission: Int64
        let launch: Int64
        let outcome: String?
        /// Time of the start of the launch.
        let startedAt: Timestamp
        private let startedAtSecond: CalendarTime

        init(_ identifier: String, _ run: LaunchReply.Task, in launch: LaunchReply) {
            task = identifier
            plugin = launch.plugin
            kind = run.kind
            submission = run.submission
            self.launch = launch.launch
            outcome = run.outcome
            startedAt = launch.startedAt
            startedAtSecond = CalendarTime(secondOf: startedAt)
        }

        private enum CodingKeys: String, CodingKey {
            case task = "identifier"
            case plugin, kind, submission, launch, outcome
            case startedAt = "started_at_ns"
            case startedAtSecond = "started_at"
        }
    }

    private enum CodingKeys: String, CodingKey { case rows = "tasks" }

    static let sortKeys: [SortKey<Row>] = []
    static let nothingFound = "nothing to retry: each selected task succeeded, runs or has a pending request"
    static func name(of row: Row) -> String { row.task }

    var rows: [Row]
}
