// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Scheduling
package import TaskModel

/// The plugins of a replay as learned from a host's history. The caller supplies the facts that a history lacks, such
/// as the requirements of requests.
package struct LearnedPopulation: Sendable {
    package private(set) var population = PluginPopulation([])
    /// The learned tasks, and the tasks and plugins that are left out, sorted by plugin and task.
    package private(set) var rows: [LearnedTask] = []
    /// The requests that neither the plugin nor a user submitted, as schedules. Pushes have none.
    private(set) var schedules: [PluginIdentifier: [TaskIdentifier: WorkSchedule]] = [:]

    /// Whether a replay of this population has any work.
    package private(set) var hasWork = false

    /// Learns from the ended launches of a history.
    ///
    /// - Parameter needs: returns the conditions that the requests of a task identifier require.
    package init(_ launches: [ObservedLaunch], needs: (TaskIdentifier) -> Set<Condition>) {
        let begin = launches.map(\.startedAt).min()
        let end = launches.map(\.endedAt).max()
        let history = begin.flatMap { begin in end.map { $0 - begin } } ?? .zero
        let byPlugin = Dictionary(grouping: launches, by: \.plugin)
        for plugin in byPlugin.keys.sorted() {
            let own = (byPlugin[plugin] ?? []).sorted { $0.startedAt < $1.startedAt }
            if let failure = Self.failure(toLoad: own) {
                rows.append(LearnedTask(plugin, requests: own.count, leftOut: failure))
                continue
            }
            let histories = TaskHistory.all(of: plugin, in: own)
            if histories.isEmpty { continue }
            let tasks = histories.map { task in add(task, of: plugin, in: history, needs: needs(task.identifier)) }
            population.plugins.append(ModelPlugin(plugin, tasks: tasks))
        }
    }

    /// The configuration with the learned schedules. A schedule of the configuration itself stays.
    package func configuration(_ configuration: SchedulingConfiguration) -> SchedulingConfiguration {
        var configuration = configuration
        for (plugin, learned) in schedules {
            var policy = configuration.policy(for: plugin)
            policy.schedules.merge(learned) { configured, _ in configured }
            configuration.plugins[plugin] = policy
        }
        return configuration
    }

    /// Why a plugin is left out, if none of its launches got through entry; nil otherwise. A launch that the host or
    /// the machine ended does not count.
    private static func failure(toLoad launches: [ObservedLaunch]) -> String? {
        let decisive = launches.filter { $0.outcome != .lost && $0.outcome != .interrupted }
        guard let last = decisive.last, decisive.allSatisfy(\.failedToLoad) else { return nil }
        let count = decisive.count == 1 ? "its launch" : "each of its \(decisive.count) launches"
        return "\(count) failed before a task began (\(last.outcome.rawValue)); see bgtask why \(last.plugin)"
    }

    /// Adds the rows of a task, and its schedule if it has one. Returns the model of the task.
    private mutating func add(
        _ task: TaskHistory,
        of plugin: PluginIdentifier,
        in history: Duration,
        needs: Set<Condition>
    ) -> ModelTask {
        var model = task.model(needs: needs)
        for source in task.sources {
            let learned = Self.interval(of: task, from: source, in: history)
            rows.append(task.row(of: plugin, source, learned))
            // The trace of the replay defines how often users submit continued tasks.
            if task.kind == .continued { hasWork = true }
            guard case .every(let interval) = learned else { continue }
            hasWork = true
            if source == .plugin || source == .sender {
                model.every = interval
            } else {
                schedules[plugin, default: [:]][task.identifier] = WorkSchedule(
                    .every(interval),
                    kind: task.kind,
                    requiresNetwork: model.requiresNetwork,
                    requiresExternalPower: model.requiresExternalPower
                )
            }
        }
        return model
    }

    /// The interval of the requests of one source; nil for those of users, which no replay repeats.
    private static func interval(
        of task: TaskHistory,
        from source: RequestSource,
        in history: Duration
    ) -> LearnedInterval? {
        guard source.recurs, task.kind != .continued else { return nil }
        guard let most = task.recurringSource, source != most else {
            return LearnedInterval(of: task.requests(from: source), from: source, in: history)
        }
        return .leftOut("most recurring requests of the task have the source \(most.name)")
    }
}
