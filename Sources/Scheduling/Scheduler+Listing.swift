// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// Lists of the scheduler's contents. Changes nothing.
extension Scheduler {
    /// One entry of the list of running launches.
    package struct RunningLaunch: Hashable, Sendable {
        package let plan: LaunchPlan
        /// The lane whose capacity the launch uses now. `plan` contains the lane in which the launch started.
        package let lane: Lane
        package let unfinished: [PlannedTask]
        /// The last reported progress of unfinished tasks; tasks without a report have no entry.
        package let progress: [TaskID: TaskProgress]
        /// The unfinished tasks that were expired.
        package let expiring: Set<TaskID>
        /// The names of the open assertions, in the order of their begin.
        package let assertions: [String]
        package let isExpiring: Bool
        /// Whether the tasks and assertions of the launch have ended; its process may still exist. Such a launch uses
        /// no capacity, unless the lane has more stopping launches than its limit.
        package let isStopping: Bool
    }

    /// The pending requests of a main plugin and its extensions, oldest first. `plugin` is the main plugin or an
    /// extension.
    package func pendingRequests(of plugin: PluginIdentifier) -> [PendingRequest] {
        let main = mainPlugin(of: plugin)
        return plugins.contains(main) ? plugins[main].requests.requests() : []
    }

    /// All loaded requests, oldest first. Reads every request: only for tests and replays.
    package var pendingRequests: [PendingRequest] {
        plugins.names().flatMap { plugins[$0].requests.requests() }.sorted { $0.number < $1.number }
    }

    /// All loaded events, oldest first. Reads every event: only for tests and replays.
    package var pendingEvents: [PendingEvent] {
        plugins.names().flatMap { Array(plugins[$0].events.all) }.sorted { $0.number < $1.number }
    }

    /// The plugin of a launch, from the request for its runner to the record of its end; nil at other times.
    package func plugin(of launch: LaunchNumber) -> PluginIdentifier? { launches.find(launch)?.plugin }

    /// The running and the stopping launches, ordered by number. A lane has at most twice as many as its limit, in
    /// addition to the launches that users start above it.
    package var runningLaunches: [RunningLaunch] {
        launches.numbers.compactMap { launches.find($0).flatMap(RunningLaunch.init) }
    }

    /// Paths of libraries that launches of the plugin may still have to load. Deleting such a library makes a launch
    /// fail.
    package func librariesToLoad(by plugin: PluginIdentifier) -> Set<String> {
        Set(
            launches.numbers(of: plugin).compactMap(launches.find).compactMap { launch in
                let isInEntry = launch.execution?.entry.isRunning ?? true
                return isInEntry && !launch.hasEnded ? launch.plan?.plugin.library.path : nil
            }
        )
    }

    package var entries: [PluginEntry] { plugins.names().compactMap { plugins[$0].entry } }

    package func entry(of plugin: PluginIdentifier) -> PluginEntry? {
        plugins.contains(plugin) ? plugins[plugin].entry : nil
    }
}

extension Scheduler.RunningLaunch {
    /// Creates the list entry of a launch; nil before the plan is sent, and after the end of the process is judged.
    init?(_ launch: ScheduledLaunch) {
        guard let execution = launch.execution else { return nil }
        let unfinished = execution.unfinished.map { execution.tasks[$0] }
        plan = execution.plan
        lane = launch.lane
        self.unfinished = unfinished.map { PlannedTask(id: $0.id, work: $0.work) }
        progress = Dictionary(
            uniqueKeysWithValues: unfinished.compactMap { task in task.progress.map { (task.id, $0) } }
        )
        expiring = Set(unfinished.filter { $0.expiration != nil }.map(\.id))
        assertions = execution.assertions.names
        isExpiring = !expiring.isEmpty || execution.assertions.expiration != nil
        if case .stopping = launch.phase { isStopping = true } else { isStopping = false }
    }
}
