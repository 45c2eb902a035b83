// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// What time brings: begins, retries, rests, deadlines.
extension Scheduler {
    /// A wall clock that was set back wakes nobody early: every alarm is checked against what it stands for (C10).
    mutating func lookAtAgenda(at now: Moment) {
        var backgrounds: Set<PluginIdentifier> = []
        var events: Set<PluginIdentifier> = []
        while let alarm = agenda.popWall(upTo: now.wall) {
            switch alarm {
            case .work(let plugin, let number, let identifier?):
                guard let request = plugins[plugin]?.pending[identifier], request.number == number else { continue }
                schedule(request, at: now)
                backgrounds.insert(plugin)
            case .work(let plugin, _, nil): events.insert(plugin)
            case .removedPlugin(let plugin): dropRemoved(plugin, at: now)
            }
        }
        while let alarm = agenda.popMonotonic(upTo: now.monotonic) {
            switch alarm {
            case .launch(let launch): lookAt(launch, at: now)
            case .plugin(let plugin, .background): backgrounds.insert(plugin)
            case .plugin(let plugin, .event): events.insert(plugin)
            case .care(let plugin): lookAfter(plugin, at: now)
            case .note(let entry): note(entry)
            }
        }
        for plugin in backgrounds.sorted() { consider(plugin, .background, at: now) }
        for plugin in events.sorted() { consider(plugin, .event, at: now) }
    }
}
