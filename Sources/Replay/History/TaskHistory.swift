// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The runs of one task in a history, without those that failed to load.
struct TaskHistory: Sendable {
    let identifier: TaskIdentifier
    private let runs: [ObservedRun]
    /// The first run of each request, with the source of the request, in the order of the launches.
    private let firsts: [(source: RequestSource, run: ObservedRun)]

    /// The histories of all tasks of a plugin, sorted by identifier.
    ///
    /// - Parameter launches: the launches of the plugin in the order of their start.
    static func all(of plugin: PluginIdentifier, in launches: [ObservedLaunch]) -> [TaskHistory] {
        let loaded = launches.filter { !$0.failedToLoad }
        let pairs = loaded.flatMap { launch in launch.runs.map { (run: $0, cause: launch.cause) } }
        let byTask = Dictionary(grouping: pairs, by: \.run.identifier)
        return byTask.keys.sorted().map { identifier in
            var seen: Set<SubmissionNumber> = []
            let own = byTask[identifier] ?? []
            // A requeued request has several runs, which are one request.
            let firsts = own.filter { seen.insert($0.run.submission).inserted }
            return TaskHistory(
                identifier: identifier,
                runs: own.map(\.run),
                firsts: firsts.map { pair in
                    (RequestSource(pair.run, of: plugin, launchedBy: pair.cause), pair.run)
                }
            )
        }
    }

    private init(
        identifier: TaskIdentifier,
        runs: [ObservedRun],
        firsts: [(source: RequestSource, run: ObservedRun)]
    ) {
        self.identifier = identifier
        self.runs = runs
        self.firsts = firsts
    }

    var kind: TaskKind { runs.last?.kind ?? .processing }

    var sources: [RequestSource] { Set(firsts.map(\.source)).sorted { $0.rank < $1.rank } }

    /// The source with the most recurring requests; nil when all requests are those of users.
    var recurringSource: RequestSource? {
        sources.filter(\.recurs).max { one, other in
            (requests(from: one).count, -one.rank) < (requests(from: other).count, -other.rank)
        }
    }

    func requests(from source: RequestSource) -> [ObservedRun] { firsts.filter { $0.source == source }.map(\.run) }

    /// The row about the requests of one source.
    ///
    /// - Parameter learned: the interval of these requests; nil for those of users.
    func row(of plugin: PluginIdentifier, _ source: RequestSource, _ learned: LearnedInterval?) -> LearnedTask {
        var (interval, leftOut) = (Duration?.none, String?.none)
        switch learned {
        case .every(let every): interval = every
        case .leftOut(let cause): leftOut = cause
        case nil: leftOut = "the trace defines the actions of users"
        }
        let times = runTimes.sorted()
        return LearnedTask(
            plugin,
            task: identifier,
            source: source,
            requests: requests(from: source).count,
            interval: interval,
            runTime: times.isEmpty ? nil : times[times.count / 2],
            leftOut: leftOut
        )
    }

    /// Whether a run of the task moved a cursor, or had one.
    private var continues: Bool { runs.contains { $0.outcome == .continues || $0.outcome == .noProgress } }

    /// Runs that the host ended early understate the run time: they count only when no run completed. The time of a
    /// request that continued is that of all its runs.
    private var runTimes: [Duration] {
        if continues { return timesOfRequests }
        let ended = runs.filter { [.succeeded, .failed, .retrying, .noData].contains($0.outcome) }
        return (ended.isEmpty ? runs : ended).map(\.took)
    }

    private var timesOfRequests: [Duration] {
        let bySubmission = Dictionary(grouping: runs, by: \.submission)
        let requests = bySubmission.keys.sorted().compactMap { bySubmission[$0] }
        let ended = requests.filter { [.succeeded, .noData].contains($0.last?.outcome) }
        return (ended.isEmpty ? requests : ended).map { $0.reduce(.zero) { $0 + $1.took } }
    }

    /// The behavior of the task, without an interval.
    func model(needs: Set<Condition>) -> ModelTask {
        var task = ModelTask(identifier, kind: kind, takes: .observed(runTimes))
        if kind == .push { task.resubmits = .never }
        task.fails = percent([.failed, .retrying])
        task.crashes = percent([.crashed, .exited, .killedForMemory])
        task.overruns = percent([.overran])
        task.continues = continues
        task.requiresNetwork = needs.contains(.network)
        task.requiresExternalPower = needs.contains(.externalPower)
        return task
    }

    private func percent(_ outcomes: Set<TaskOutcome>) -> Int {
        runs.isEmpty ? 0 : runs.count { outcomes.contains($0.outcome) } * 100 / runs.count
    }
}
