// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Conditions that cost something to sample are watched while something waits for the machine or works under it (C16). Each
// event looks at the plugins that it changed, and at no others.
extension Scheduler {
    mutating func updateWatch() {
        for plugin in toWatchAnew {
            if launchesAtWork[plugin] == nil, !plugins.contains(plugin) || plugins[plugin].requests.studies == 0 {
                studying.remove(plugin)
            } else if plugins.contains(plugin), plugins[plugin].requests.studies > 0 {
                studying.insert(plugin)
            }
        }
        toWatchAnew.removeAll(keepingCapacity: true)
        let watch = Watch(use: !waiters.isEmpty || !launchesAtWork.isEmpty, containers: studying)
        if watch == lastWatch { return }
        lastWatch = watch
        emit(.watch(watch))
    }

    /// Events need nothing of the machine.
    mutating func beginWork(of plugin: PluginIdentifier, in lane: Lane) {
        if lane != .event { launchesAtWork[plugin, default: 0] += 1 }
    }

    mutating func endWork(of plugin: PluginIdentifier, in lane: Lane) {
        guard lane != .event, let count = launchesAtWork[plugin] else { return }
        launchesAtWork[plugin] = count > 1 ? count - 1 : nil
        toWatchAnew.insert(plugin)
    }
}
