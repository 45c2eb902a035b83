// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Deadlines of requests: a request that is still pending at its deadline lapses. It never starts from then on, because
// every evaluation of a plugin's work lets its overdue requests lapse first.
extension Scheduler {
    /// Stages the end of the plugin's requests whose deadline has passed. A request about which a change is in flight
    /// waits for the result: a launch or a cancellation that is being committed takes precedence, and a request that
    /// stays pending is evaluated again after that commit. A request whose deadline is in doubt is blocked, and its end
    /// is staged after the doubt.
    mutating func lapseOverdue(_ plugin: PluginIdentifier, at now: Moment) {
        guard !isStopping, plugins.contains(plugin) else { return }
        endLostClaims(of: plugin, at: now)
        if plugins[plugin].requests.deadlines.isEmpty { return }
        let doubt = clockDoubt.deadlines(at: now)
        let overdue = plugins[plugin].requests.takeOverdue(at: now.wall, inDoubtUpTo: doubt)
        if plugins[plugin].requests.deadlines.hasDoubted { agenda.add(.deadlines(plugin), at: clockDoubt.end) }
        awaitDeadline(of: plugin)
        lapse(overdue, of: plugin, because: .deadlinePassed, at: now)
    }

    /// Stages the end of the plugin's requests whose claim is lost. Here, too, a change in flight decides first.
    private mutating func endLostClaims(of plugin: PluginIdentifier, at now: Moment) {
        if plugins[plugin].requests.lost.isEmpty { return }
        lapse(plugins[plugin].requests.takeLost(), of: plugin, because: .leaseLost, at: now)
    }

    private mutating func lapse(
        _ requests: [PendingRequest],
        of plugin: PluginIdentifier,
        because cause: StagedLapse.Cause,
        at now: Moment
    ) {
        if requests.isEmpty { return }
        let lapse = StagedLapse(cause: cause, plugin: plugin, requests: requests, change: inFlight.nextChange())
        for request in requests {
            let identifier = request.request.identifier
            plugins[plugin].requests.begin(.removes(request.number), about: identifier, as: lapse.change)
        }
        stage(lapse, at: now)
    }

    /// The time at which an overdue request is evaluated again. It is in the future also when the clock is certain: the
    /// request then waits for the result of a change, and an alarm in the past would fire without end.
    func overdueEnd(at now: Moment) -> MonotonicTime {
        max(clockDoubt.end, now.monotonic + configuration.hostRetryDelay)
    }

    private mutating func stage(_ lapse: StagedLapse, at now: Moment) {
        var lapse = lapse
        lapse.ends = endTransfers(among: lapse.requests, as: .failed, fault: .deadlinePassed, at: now)
        stage(
            .lapse(lapse),
            lapse.requests.flatMap { request -> [LedgerChange] in
                [.removeRequest(request.number), .journal(.lapse(of: request, because: lapse.cause, at: now))]
            } + lapse.ends.changes
        )
    }

    /// Sets the alarm of the plugin's next deadline.
    mutating func awaitDeadline(of plugin: PluginIdentifier) {
        guard !isStopping, plugins.contains(plugin), let next = plugins[plugin].requests.nextDeadline() else { return }
        agenda.add(.deadlines(plugin), at: next)
    }

    mutating func settle(_ lapse: StagedLapse, at now: Moment) {
        for request in lapse.requests {
            let identifier = request.request.identifier
            remove(identifier, request.number, of: lapse.plugin)
            plugins[lapse.plugin].requests.end(lapse.change, about: identifier)
            takeFilesWithoutRequest(for: identifier, request.request.kind, of: lapse.plugin)
        }
        settle(lapse.ends, of: lapse.plugin, at: now)
        resumeOperations(of: lapse.plugin, at: now)
        considerRequests(of: lapse.plugin, at: now)
        reevaluate(lapse.plugin, at: now)
    }

    /// Keeps the change in flight after a failed commit, and stages it again after a delay: the requests neither start
    /// nor wait for their reasons any more. The cancellations that wait for the change are refused.
    mutating func rollBack(_ lapse: StagedLapse, because message: String, at now: Moment) {
        takeBack(lapse.ends, of: lapse.plugin, at: now)
        unrecordedLapses[lapse.plugin, default: []].append(lapse)
        if isStopping { return dropUnrecordedLapses(at: now) }
        agenda.add(.deadlines(lapse.plugin), at: now.monotonic + configuration.hostRetryDelay)
        let works = lapse.requests.map(PendingWork.request)
        refuseCancellations(of: lapse.plugin, covering: works, because: message, at: now)
    }

    /// Drops the lapses whose commit failed, because the host stops: the requests lapse after the next start. The calls
    /// that waited for these lapses are resumed, because each gets an answer before the host ends.
    mutating func dropUnrecordedLapses(at now: Moment) {
        let dropped = unrecordedLapses
        unrecordedLapses = [:]
        for plugin in dropped.keys.sorted() where plugins.contains(plugin) {
            for lapse in dropped[plugin] ?? [] {
                for request in lapse.requests {
                    plugins[plugin].requests.end(lapse.change, about: request.request.identifier)
                }
            }
            resumeOperations(of: plugin, at: now)
        }
    }

    /// Whether the end of the plugin's push could not be recorded, and is not being committed now.
    func isPushEndUnrecorded(of plugin: PluginIdentifier) -> Bool {
        let identifier = TaskIdentifier.push(to: plugin)
        let lapses = unrecordedLapses[plugin] ?? []
        if lapses.contains(where: { $0.requests.contains { $0.request.identifier == identifier } }) { return true }
        return launches.numbers(of: plugin).lazy.compactMap(launches.find).contains { launch in
            launch.record.retryAt != nil && launch.record.unrecorded.contains { $0.work.identifier == identifier }
        }
    }

    /// Stages the lapses of the plugin again whose commit failed. Requests that a newer one has replaced meanwhile, or
    /// whose deadline is in the future again because the wall clock was set back, do not lapse.
    mutating func stageUnrecordedLapses(of plugin: PluginIdentifier, at now: Moment) {
        for lapse in unrecordedLapses.removeValue(forKey: plugin) ?? [] where plugins.contains(plugin) {
            var left: [PendingRequest] = []
            for request in lapse.requests {
                let identifier = request.request.identifier
                if plugins[plugin].requests.number(of: identifier) == request.number,
                    lapse.cause == .leaseLost || request.isOverdue(at: now.wall)
                {
                    left.append(request)
                } else {
                    plugins[plugin].requests.end(lapse.change, about: identifier)
                    plugins[plugin].requests.awaitDeadline(of: request)
                }
            }
            let again = StagedLapse(cause: lapse.cause, plugin: plugin, requests: left, change: lapse.change)
            if !left.isEmpty { stage(again, at: now) }
            if left.count == lapse.requests.count { continue }
            awaitDeadline(of: plugin)
            resumeOperations(of: plugin, at: now)
            considerRequests(of: plugin, at: now)
        }
    }
}

extension JournalEntry {
    /// The entry about a pending request whose deadline passed, or whose claim was lost, before it started.
    static func lapse(of request: PendingRequest, because cause: StagedLapse.Cause, at now: Moment) -> JournalEntry {
        if cause == .leaseLost { return leaseLost(request, at: now) }
        let thing = request.request.kind == .push ? "push" : "submission"
        return JournalEntry(
            request,
            .lapsed,
            at: now,
            message: "\(thing) \(request.number) lapsed: its deadline passed before it started; set a later expires_at,"
                + " or see with \"bgtask why\" which reasons delay such work"
        )
    }

    private static func leaseLost(_ request: PendingRequest, at now: Moment) -> JournalEntry {
        let lease = request.request.claim.map { " \($0.lease)" } ?? ""
        return JournalEntry(
            request,
            .leaseLost,
            at: now,
            message: "submission \(request.number) ended before it started: its lease\(lease) is no longer trusted, so"
                + " another host may run the item; see with \"bgtask fleet status\" whether the feeder reaches the"
                + " database"
        )
    }
}
