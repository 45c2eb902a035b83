// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Alarms of the agenda: begin times, retry delays, cooldowns, deadlines.
extension Scheduler {
    /// Handles all alarms that are due. The handler of an alarm checks its cause again, so no alarm acts early after
    /// the wall clock was set back (C10).
    mutating func fireAlarms(at now: Moment) {
        while let alarm = agenda.popMonotonic(upTo: now.monotonic) {
            switch alarm {
            case .launch(let launch): enforce(launch, at: now)
            case .stop, .backlog: break  // Checked after every event.
            case .plugin(let plugin, let lane): backlog.add(.consider(plugin, lane))
            case .memory(let plugin): if plugins.contains(plugin) { reevaluate(plugin, at: now) }
            case .waits(let plugin): writeWaits(of: plugin, at: now)
            case .keep: keepAnew()
            case .pressure: relievePressure(at: now)
            case .removedPlugin(let plugin): dropRemoved(plugin, at: now)
            case .pause(let plugin): endPause(of: plugin, at: now)
            case .deadlines(let plugin):
                stageUnrecordedLapses(of: plugin, at: now)
                lapseOverdue(plugin, at: now)
            case .pushLines(let plugin): writePushLines(of: plugin, at: now)
            case .pushAnswers(let plugin): dropPushAnswers(of: plugin, at: now)
            case .alerts(let plugin): showLateAlerts(of: plugin, at: now)
            case .load: loading.retry()
            case .leases: awaitTrustEnd(at: now)
            }
        }
        while let alarm = agenda.popWall(upTo: now.wall) {
            switch alarm {
            case .requests(let plugin): becomeDue(plugin, at: now)
            case .deadlines(let plugin): lapseOverdue(plugin, at: now)
            case .plugin(let plugin, let lane): backlog.add(.consider(plugin, lane))
            case .removedPlugin(let plugin): dropRemoved(plugin, at: now)
            case .occurrence(let plugin, let identifier): submitOccurrence(of: identifier, plugin, at: now)
            case .fetch(let plugin): checkFetch(of: plugin, at: now)
            case .pause(let plugin): endPause(of: plugin, at: now)
            }
        }
    }

    private mutating func becomeDue(_ plugin: PluginIdentifier, at now: Moment) {
        guard plugins.contains(plugin) else { return }
        let configuration = configuration
        plugins[plugin].requests.becomeDue(at: now.wall) { $0.due(at: now, configuration) }
        if let next = plugins[plugin].requests.nextDue() { agenda.add(.requests(plugin), at: next) }
        for lane in Lane.allCases where lane != .event { backlog.add(.consider(plugin, lane)) }
    }

    // MARK: Wall clock set back

    /// Queues a recomputation of the wall-clock times of all plugins, because the clock that produced these times was
    /// ahead.
    mutating func clockWasSetBack() {
        for plugin in plugins.names() { backlog.add(.reckonAnew(plugin)) }
    }

    /// Recomputes the wall-clock times of a plugin now if the recomputation is still queued, because a decision about
    /// the plugin is made now.
    mutating func reckonAnewIfDue(_ plugin: PluginIdentifier, at now: Moment) {
        if backlog.take(.reckonAnew(plugin)) { reckonAnew(plugin, at: now) }
    }

    mutating func reckonAnew(_ plugin: PluginIdentifier, at now: Moment) {
        guard plugins.contains(plugin) else { return }
        plugins[plugin].record.reckonAnew(at: now.wall)
        if loading.isMissing(plugin) { return }
        arrangeSchedules(of: plugin, at: now)
        let configuration = configuration
        let waits = plugins[plugin].waits
        plugins[plugin].requests.reckonAnew(at: now, waits, configuration)
        plugins[plugin].events.dropVoidCooldowns(at: now, configuration)
        for workClass in plugins[plugin].waits.keys { plugins[plugin].waits[workClass]?.reckonAnew(at: now.wall) }
        if let due = plugins[plugin].requests.nextDue() { agenda.add(.requests(plugin), at: due) }
        // Requests whose deadline is in the future again no longer wait for the record of their lapse.
        stageUnrecordedLapses(of: plugin, at: now)
        awaitDeadline(of: plugin)
        for lane in Lane.allCases { consider(plugin, lane, at: now) }
    }

    // MARK: Obsolete alarms

    mutating func dropVainAlarms() {
        while let first = agenda.firstWall, !isAwaited(first.alarm, at: first.time) {
            agenda.dropFirstWall()
            if case .removedPlugin(let plugin) = first.alarm, plugins.contains(plugin) {
                plugins[plugin].hasRemovalAlarm = false
            }
            if case .requests(let plugin) = first.alarm, !isStopping, plugins.contains(plugin),
                let due = plugins[plugin].requests.nextDue()
            {
                agenda.add(first.alarm, at: due)
            }
            if case .deadlines(let plugin) = first.alarm { awaitDeadline(of: plugin) }
            if case .pause(let plugin) = first.alarm, !isStopping, let end = pauses[plugin]?.until {
                agenda.add(first.alarm, at: end)
            }
        }
        while let first = agenda.firstMonotonic, !isAwaited(first.alarm, at: first.time) {
            agenda.dropFirstMonotonic()
            if case .launch(let launch) = first.alarm, let next = launches.find(launch)?.nextEnforcement {
                agenda.add(first.alarm, at: next)
            }
        }
    }

    private mutating func isAwaited(_ alarm: Agenda.WallAlarm, at time: WallTime) -> Bool {
        switch alarm {
        case .requests(let plugin):
            !isStopping && plugins.contains(plugin) && plugins[plugin].requests.nextDue().map { $0 <= time } ?? false
        case .deadlines(let plugin):
            !isStopping && plugins.contains(plugin)
                && (!plugins[plugin].requests.lost.isEmpty
                    || plugins[plugin].requests.nextDeadline().map { $0 <= time } ?? false)
        case .removedPlugin(let plugin): plugins.contains(plugin) && plugins[plugin].entry == nil
        case .plugin(let plugin, let lane): isAwaited(plugin, in: lane)
        case .occurrence(let plugin, let identifier):
            !isStopping && plugins.contains(plugin) && plugins[plugin].entry != nil
                && plugins[plugin].policy.schedules[identifier] != nil
        case .fetch(let plugin):
            !isStopping && fetches[plugin] != nil && plugins.contains(plugin) && plugins[plugin].entry != nil
        case .pause(let plugin): !isStopping && pauses[plugin]?.until.map { $0 <= time } ?? false
        }
    }

    private func isAwaited(_ alarm: Agenda.MonotonicAlarm, at time: MonotonicTime) -> Bool {
        switch alarm {
        case .launch(let launch): launches.find(launch)?.nextEnforcement.map { $0 <= time } ?? false
        case .plugin(let plugin, let lane): isAwaited(plugin, in: lane)
        case .memory(let plugin): plugins.contains(plugin) && plugins[plugin].recordState == .settled
        case .waits(let plugin): plugins.contains(plugin) && plugins[plugin].waits.values.contains(where: \.isChanged)
        case .removedPlugin(let plugin): plugins.contains(plugin) && plugins[plugin].removalDoubt == time
        case .pressure: conditions.isMemoryLow && launches.use(of: .continued).running > 0
        case .pause(let plugin): !isStopping && pauses[plugin]?.until != nil
        case .deadlines(let plugin):
            !isStopping
                && (unrecordedLapses[plugin] != nil
                    || plugins.contains(plugin) && plugins[plugin].requests.deadlines.hasDoubted)
        case .pushLines(let plugin): !isStopping && pushLines[plugin]?.hasSums == true
        case .pushAnswers(let plugin): !isStopping && pushAnswers[plugin] != nil
        case .alerts(let plugin): !isStopping && alertLines[plugin] != nil
        case .leases: leases.nextEnd != nil
        case .backlog: !backlog.isEmpty
        case .keep, .stop, .load: true
        }
    }

    /// Whether waiting work of the lane needs an alarm. False while the lane is occupied, because the end of the
    /// occupying launch triggers an evaluation.
    private func isAwaited(_ plugin: PluginIdentifier, in lane: Lane) -> Bool {
        !isStopping && plugins.contains(plugin) && plugins[plugin].occupants[lane] == nil
            && hasCandidates(plugin, in: lane)
    }
}
