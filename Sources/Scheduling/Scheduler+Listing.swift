// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// What is there, for those who ask. Changes nothing.
extension Scheduler {
    /// One running launch, as it is shown.
    package struct RunningLaunch: Hashable, Sendable {
        package let plan: LaunchPlan
        /// Where it takes room now; its plan has where it began.
        package let lane: Lane
        package let unfinished: [PlannedTask]
        /// Of its continued tasks, as far as they reported any.
        package let progress: [TaskID: TaskProgress]
        /// Those of its tasks that were told to stop.
        package let expiring: Set<TaskID>
        /// The names of its open assertions, in the order of their begin.
        package let assertions: [String]
        package let isExpiring: Bool
    }

    /// A plugin's pending requests, its extensions' included, oldest first.
    package func pendingRequests(of plugin: PluginIdentifier) -> [PendingRequest] {
        (plugins[mainPlugin(of: plugin)]?.pending.values).map { $0.sorted { $0.number < $1.number } } ?? []
    }

    package var pendingRequests: [PendingRequest] {
        plugins.values.flatMap(\.pending.values).sorted { $0.number < $1.number }
    }

    package var pendingEvents: [PendingEvent] {
        plugins.values.flatMap(\.events).sorted { $0.number < $1.number }
    }

    package var pendingCount: Int { plugins.values.reduce(0) { $0 + $1.pending.count } }

    package var runningLaunches: [RunningLaunch] {
        launches.values.sorted { $0.number < $1.number }.compactMap { launch in
            guard let plan = launch.plan, launch.phase != .starting, launch.phase != .ended else { return nil }
            let unfinished = launch.unfinished.map { PlannedTask(id: launch.tasks[$0].id, work: launch.tasks[$0].work) }
            let expiring = launch.unfinished.filter { launch.tasks[$0].expiration != nil }.map { launch.tasks[$0].id }
            return RunningLaunch(
                plan: plan,
                lane: launch.lane,
                unfinished: unfinished,
                progress: Dictionary(
                    uniqueKeysWithValues: launch.unfinished.compactMap { index in
                        launch.tasks[index].progress.map { (launch.tasks[index].id, $0) }
                    }
                ),
                expiring: Set(expiring),
                assertions: launch.assertions.names,
                isExpiring: !expiring.isEmpty || launch.assertions.expiration != nil
            )
        }
    }

    /// Paths of libraries that launches under way may have yet to load: whoever deletes one costs a launch.
    package func librariesToLoad(by plugin: PluginIdentifier) -> Set<String> {
        Set(
            launches.values.filter { $0.plugin == plugin && $0.phase != .ended && $0.entry == .running }
                .compactMap(\.plan?.plugin.library.path)
        )
    }

    package var entries: [PluginEntry] {
        plugins.values.compactMap(\.entry).sorted { $0.identifier < $1.identifier }
    }

    package func entry(of plugin: PluginIdentifier) -> PluginEntry? { plugins[plugin]?.entry }
}
