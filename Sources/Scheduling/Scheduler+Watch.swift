// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The watch of conditions that are costly to sample. They are sampled while work waits for the machine or runs (C16), and
// while a feeder may submit work.
// Each event updates only the plugins that it has changed.
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
        // What a feeder may claim depends on the conditions before any work waits for them.
        let isAwaitingClaims = !configuration.fleet.plugins.isEmpty && leases.hasTrust
        let isSampled = !waiters.isEmpty || !launchesAtWork.isEmpty || isAwaitingClaims
        let watch = Watch(sampled: isSampled, containers: studying)
        if watch == lastWatch { return }
        lastWatch = watch
        emit(.watch(watch))
    }

    /// Counts a launch in a lane of requests, because its work may depend on watched conditions. A launch for events is
    /// not counted, because events need no conditions.
    mutating func beginWork(of plugin: PluginIdentifier, in lane: Lane) {
        if lane != .event { launchesAtWork[plugin, default: 0] += 1 }
    }

    mutating func endWork(of plugin: PluginIdentifier, in lane: Lane) {
        guard lane != .event, let count = launchesAtWork[plugin] else { return }
        launchesAtWork[plugin] = count > 1 ? count - 1 : nil
        toWatchAnew.insert(plugin)
    }
}
