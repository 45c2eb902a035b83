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
            case .stop: break  // Whether all that can end has ended is looked at after every event.
            case .plugin(let plugin, .background): backgrounds.insert(plugin)
            case .plugin(let plugin, .event): events.insert(plugin)
            case .care(let plugin): lookAfter(plugin, at: now)
            case .removedPlugin(let plugin): dropRemoved(plugin, at: now)
            case .note(let entry): note(entry)
            }
        }
        for plugin in backgrounds.sorted() { consider(plugin, .background, at: now) }
        for plugin in events.sorted() { consider(plugin, .event, at: now) }
    }

    /// Nobody is woken for what is over, cancelled or replaced.
    mutating func dropVainAlarms() {
        while let first = agenda.firstWall, !isAwaited(first.alarm) {
            agenda.dropFirstWall()
            if case .removedPlugin(let plugin) = first.alarm { plugins[plugin]?.hasRemovalAlarm = false }
        }
        while let first = agenda.firstMonotonic, !isAwaited(first.alarm, at: first.time) {
            agenda.dropFirstMonotonic()
            if case .launch(let launch) = first.alarm {
                launches[launch]?.alarmAt = nil
                setAlarm(of: launch)
            }
        }
    }

    private func isAwaited(_ alarm: Agenda.WallAlarm) -> Bool {
        switch alarm {
        case .work(let plugin, let number, let identifier?):
            plugins[plugin]?.pending[identifier]?.number == number && plugins[plugin]?.due.contains(identifier) == false
        case .work(let plugin, let number, nil): plugins[plugin]?.events.contains { $0.number == number } == true
        case .removedPlugin(let plugin): plugins[plugin].map { $0.entry == nil } ?? false
        }
    }

    private func isAwaited(_ alarm: Agenda.MonotonicAlarm, at time: MonotonicTime) -> Bool {
        switch alarm {
        case .launch(let launch): launches[launch]?.nextAlarm.map { $0 <= time } ?? false
        case .plugin(let plugin, let lane):
            // While the lane is taken nothing is waited for: its end is looked at anyway.
            !isStopping && plugins[plugin]?.occupants[lane] == nil && plugins[plugin]?.hasCandidates(in: lane) == true
        case .care(let plugin): plugins[plugin]?.isBeingRemembered == false
        case .removedPlugin(let plugin): plugins[plugin]?.removalDoubt == time
        case .note, .stop: true
        }
    }
}
