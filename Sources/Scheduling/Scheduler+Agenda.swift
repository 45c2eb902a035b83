// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// What time brings: begins, retries, rests, deadlines.
extension Scheduler {
    /// A wall clock that was set back wakes nobody early: every alarm is checked against what it stands for (C10).
    mutating func lookAtAgenda(at now: Moment) {
        var due: [Lane: Set<PluginIdentifier>] = [:]
        if wasSetBack {
            wasSetBack = false
            for plugin in plugins.keys.sorted() { reckonAnew(plugin, at: now) }
            for lane in Lane.allCases { due[lane] = Set(plugins.keys) }
        }
        while let alarm = agenda.popWall(upTo: now.wall) {
            switch alarm {
            case .work(let plugin, let number, let identifier?):
                guard let request = plugins[plugin]?.pending[identifier], request.number == number else { continue }
                schedule(request, at: now)
                due[request.request.kind.lane, default: []].insert(plugin)
            case .work(let plugin, _, nil): due[.event, default: []].insert(plugin)
            case .plugin(let plugin, let lane): due[lane, default: []].insert(plugin)
            case .removedPlugin(let plugin): dropRemoved(plugin, at: now)
            case .occasion(let plugin, let identifier): lookAtOccasion(of: identifier, plugin, at: now)
            case .fetch(let plugin): lookAtFetch(of: plugin, at: now)
            }
        }
        while let alarm = agenda.popMonotonic(upTo: now.monotonic) {
            switch alarm {
            case .launch(let launch): lookAt(launch, at: now)
            case .stop: break  // Whether all that can end has ended is looked at after every event.
            case .plugin(let plugin, let lane): due[lane, default: []].insert(plugin)
            case .care(let plugin): lookAfter(plugin, at: now)
            case .keep(let changes): keepAnew(changes)
            case .pressure: relievePressure(at: now)
            case .removedPlugin(let plugin): dropRemoved(plugin, at: now)
            }
        }
        for lane in Lane.allCases {
            for plugin in (due[lane] ?? []).sorted() { consider(plugin, lane, at: now) }
        }
    }

    /// What was reckoned by a clock that was ahead: schedules, delays, the use of a day.
    private mutating func reckonAnew(_ plugin: PluginIdentifier, at now: Moment) {
        arrangeSchedules(of: plugin, at: now)
        for request in plugins[plugin]?.pending.values ?? [:].values {
            if let notBefore = request.retry.notBefore, notBefore > now.wall { schedule(request, at: now) }
        }
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
        case .plugin(let plugin, let lane): isAwaited(plugin, in: lane)
        case .occasion(let plugin, let identifier):
            !isStopping && plugins[plugin]?.entry != nil
                && configuration.policy(for: plugin).schedules[identifier] != nil
        case .fetch(let plugin): !isStopping && fetches[plugin] != nil && plugins[plugin]?.entry != nil
        }
    }

    private func isAwaited(_ alarm: Agenda.MonotonicAlarm, at time: MonotonicTime) -> Bool {
        switch alarm {
        case .launch(let launch): launches[launch]?.nextAlarm.map { $0 <= time } ?? false
        case .plugin(let plugin, let lane): isAwaited(plugin, in: lane)
        case .care(let plugin): plugins[plugin]?.isBeingRemembered == false
        case .removedPlugin(let plugin): plugins[plugin]?.removalDoubt == time
        case .pressure: conditions.isMemoryLow && launchesInLane[.continued, default: 0] > 0
        case .keep, .stop: true
        }
    }

    /// While the lane is taken nothing is waited for: its end is looked at anyway.
    private func isAwaited(_ plugin: PluginIdentifier, in lane: Lane) -> Bool {
        !isStopping && plugins[plugin]?.occupants[lane] == nil && plugins[plugin]?.hasCandidates(in: lane) == true
    }
}
