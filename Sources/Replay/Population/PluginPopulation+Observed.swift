// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// One run of a task, as recorded in a journal.
package struct ObservedRun: Hashable, Sendable {
    package let plugin: PluginIdentifier
    package let identifier: TaskIdentifier
    package let kind: TaskKind
    package let startedAt: WallTime
    package let took: Duration
    package let outcome: TaskOutcome

    package init(
        plugin: PluginIdentifier,
        identifier: TaskIdentifier,
        kind: TaskKind,
        startedAt: WallTime,
        took: Duration,
        outcome: TaskOutcome
    ) {
        self.plugin = plugin
        self.identifier = identifier
        self.kind = kind
        self.startedAt = startedAt
        self.took = took
        self.outcome = outcome
    }
}

// A population derived from observed runs. The caller supplies the facts that a journal lacks, such as needs.
extension PluginPopulation {
    /// Creates a population whose tasks behave like the observed runs.
    ///
    /// - Parameter needs: returns the conditions that the requests of a task identifier require.
    package init(observed runs: [ObservedRun], needs: (TaskIdentifier) -> Set<Condition>) {
        let byPlugin = Dictionary(grouping: runs, by: \.plugin)
        self.init(
            byPlugin.keys.sorted().map { plugin in
                let byTask = Dictionary(grouping: byPlugin[plugin] ?? [], by: \.identifier)
                let tasks = byTask.keys.sorted().compactMap { identifier in
                    Self.task(identifier, seenIn: byTask[identifier] ?? [], needs: needs(identifier))
                }
                return ModelPlugin(plugin, tasks: tasks)
            }
        )
    }

    private static func task(
        _ identifier: TaskIdentifier,
        seenIn runs: [ObservedRun],
        needs: Set<Condition>
    ) -> ModelTask? {
        let runs = runs.sorted { ($0.startedAt, $0.took) < ($1.startedAt, $1.took) }
        guard let last = runs.last else { return nil }
        // Runs that were cut short understate the run time: they count only when no run came to its end.
        let ended = runs.filter { [.succeeded, .failed, .retrying, .noData].contains($0.outcome) }
        let times = (ended.isEmpty ? runs : ended).map(\.took)
        let gaps = zip(runs, runs.dropFirst()).map { $1.startedAt - $0.startedAt }.sorted()
        let every = last.kind == .continued || gaps.isEmpty ? nil : max(.seconds(1), gaps[gaps.count / 2])
        var task = ModelTask(identifier, kind: last.kind, every: every, takes: .observed(times))
        func percent(_ outcomes: Set<TaskOutcome>) -> Int {
            runs.count { outcomes.contains($0.outcome) } * 100 / runs.count
        }
        task.fails = percent([.failed, .retrying])
        task.crashes = percent([.crashed, .exited, .killedForMemory])
        task.overruns = percent([.overran])
        task.requiresNetwork = needs.contains(.network)
        task.requiresExternalPower = needs.contains(.externalPower)
        return task
    }
}
