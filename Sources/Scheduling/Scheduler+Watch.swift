// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// What costs something to know is watched while something waits for the machine or works under it, and no longer (C16).
// Each event looks at the plugins that it changed, and at no others.
extension Scheduler {
    mutating func updateWatch() {
        for plugin in toWatchAnew {
            let state = plugins[plugin]
            if state?.hasRequestsDue != true { waitingForConditions.remove(plugin) }
            if launchesAtWork[plugin] == nil, state?.hasStudies != true { studying.remove(plugin) }
        }
        toWatchAnew.removeAll(keepingCapacity: true)
        let watch = Watch(use: !waitingForConditions.isEmpty || !launchesAtWork.isEmpty, containers: studying)
        if watch == lastWatch { return }
        lastWatch = watch
        emit(.watch(watch))
    }

    mutating func awaitConditions(_ plugin: PluginIdentifier) {
        waitingForConditions.insert(plugin)
        toWatchAnew.insert(plugin)
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
