// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Loading of the state that the last host left. The pending work of each plugin is loaded separately, so that the host
// serves calls long before all of it is loaded.
extension Scheduler {
    /// Restores the state that does not depend on pending work. Decisions about a plugin begin when the plugin's
    /// pending work is loaded and the first catalogue is known.
    mutating func restore(_ snapshot: LedgerSnapshot, at now: Moment) {
        for known in snapshot.known {
            know(known.identifier)
            plugins[known.identifier].known = known
        }
        for past in snapshot.past {
            know(past.plugin)
            plugins[past.plugin].record.note(past)
            // The clock of the last host may have been ahead.
            plugins[past.plugin].record.reckonAnew(at: now.wall)
        }
        fetches = snapshot.fetches
        occurrences = snapshot.occurrences
        pauses = snapshot.pauses
        uses = snapshot.uses
        restorePushSums(snapshot.pushSums, at: now)
        restorePushAnswers(snapshot.pushAnswers, at: now)
        pushTokenHolders = snapshot.pushTokenHolders
        leases.restore(snapshot.leases, at: now.bootTime)
        awaitTrustEnd(at: now)
        showLeftAlerts(snapshot.alerts, at: now)
        for (plugin, pause) in pauses {
            if let end = pause.until { agenda.add(.pause(plugin), at: end) }
        }
    }

    /// Emits the action `load` for each plugin whose pending work is read next.
    mutating func load() {
        if !loading.isPartial || isStopping { return }
        for plugin in loading.next() { emit(.load(plugin)) }
    }

    mutating func loaded(_ work: PluginWork, at now: Moment) {
        guard loading.isMissing(work.plugin) else { return }
        let plugin = work.plugin
        know(plugin)
        let deferrals = work.deferrals.mapValues { Deferral(periods: $0) }
        for workClass in Set(work.waits.keys).union(work.deferrals.keys) {
            var wait = ClassWait(
                written: work.waits[workClass] ?? [],
                deferral: deferrals[workClass] ?? Deferral()
            )
            // The clock of the last host may have been ahead.
            wait.reckonAnew(at: now.wall)
            plugins[plugin].waits[workClass] = wait
        }
        for transfer in work.transfers where transfer.endedAt == nil {
            transfers[plugin, default: OpenTransfers()].set(transfer)
        }
        countFiles(work.transfers.map { .storeTransfer($0) }, of: plugin)
        for request in work.requests {
            let deferral = deferrals[WorkClass(of: request.request)] ?? Deferral()
            let due = deferral.reckonAnew(due: becameDue(request), at: now.wall)
            place(request, readySince: due, at: now)
        }
        // An alert that the last host did not show is shown without its extension, see `showLeftAlerts`.
        for event in work.events where event.type != .notification { insert(event, at: now) }
        let (left, events) = loading.finish(plugin)
        let newest = newestNumbers(work, left)
        for running in left { restore(running, newest: newest, at: now) }
        if hasCatalogue { begin(plugin, at: now) }
        for event in events { dispatch(event, at: now) }
        if loading.isPartial || !hasCatalogue { return }
        for event in loading.takeParkedForAll() { dispatch(event, at: now) }
    }

    /// Schedules another read of a plugin's pending work after a failed one. A damaged row blocks only the plugin to
    /// which it belongs.
    mutating func notLoaded(_ plugin: PluginIdentifier, at now: Moment) {
        loading.fail(plugin)
        agenda.add(.load, at: now.monotonic + configuration.hostRetryDelay)
    }

    /// Begins decisions about a plugin. Called once the plugin's pending work is loaded and the first catalogue is
    /// known.
    mutating func begin(_ plugin: PluginIdentifier, at now: Moment) {
        let left = launches.numbers(of: plugin)
        for number in left { flush(number) }
        let returns = left.contains { launches.find($0)?.record.returning.isEmpty == false }
        if plugins[plugin].entry != nil, !returns {
            let hasNothingPending = plugins[plugin].hasNothingPending
            plugins[plugin].wantsStart = hasNothingPending
        }
        backlog.add(.evaluation(plugin))
    }

    /// The latest recorded time before which the request could not run: its submission, earliest begin, end of the
    /// retry delay or start of the deferral. The result may be in the future, because the wall clock may have been set
    /// back since.
    private func becameDue(_ request: PendingRequest) -> WallTime {
        [request.request.earliestBegin, request.retry.notBefore, request.deferredSince].compactMap { $0 }
            .reduce(request.submittedAt, max)
    }

    /// The number of the newest submission of each identifier, pending or running.
    private func newestNumbers(
        _ work: PluginWork,
        _ left: [LedgerSnapshot.UnfinishedLaunch]
    ) -> [TaskIdentifier: SubmissionNumber] {
        let works = work.requests.map(PendingWork.request) + left.flatMap(\.unfinished)
        return Dictionary(works.compactMap { work in work.identifier.map { ($0, work.number) } }, uniquingKeysWith: max)
    }
}
