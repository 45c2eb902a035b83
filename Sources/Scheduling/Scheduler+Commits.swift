// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// The results of commits: a change on disk is applied to the state, a failed one is dropped.
extension Scheduler {
    mutating func settle(_ ticket: Ticket, at now: Moment) {
        guard let change = inFlight.take(ticket) else { return }
        switch change {
        case .submission(let submission): settle(submission, at: now)
        case .trigger(let event, let reply): triggered(event, reply: reply, at: now)
        case .arrival(let event): arrived(event, isWritten: true, at: now)
        case .cancellation(let cancellation): settle(cancellation, at: now)
        case .lapse(let lapse): settle(lapse, at: now)
        case .pushes(let pushes): settle(pushes, at: now)
        case .alert(let alert): settle(alert, at: now)
        case .alertsShown(let plugin, let numbers): shown(numbers, of: plugin, at: now)
        case .stop(let task, let change, let reply): stopRecorded(task, change, reply: reply, at: now)
        case .launchStop(let launch, let tasks, let change, let reply):
            launchStopRecorded(launch, tasks, change, reply: reply, at: now)
        case .welcome(let plugin, let known, let event): welcomed(plugin, as: known, event, at: now)
        case .leave(let plugin, let known): remembered(plugin, as: known, at: now)
        case .launchStart(let launch, let change): sendPlan(of: launch, change, at: now)
        case .delivery(let launch, let task, let change): delivered(task, to: launch, change, at: now)
        case .launchRecord(let launch): recordingSucceeded(launch, at: now)
        case .clearance(let clearance, let change): clear(clearance, change, at: now)
        case .pause(let plugin, let pause, let reply): pauseRecorded(of: plugin, pause, reply: reply, at: now)
        case .cursorClearing(let reply): emit(.answer(reply, .cursorCleared))
        case .transferPause(let transfer, let reply): pauseRecorded(of: transfer, reply: reply, at: now)
        case .pushToken(let staged): settle(staged, at: now)
        case .lease(let lease, let reply): settle(lease, reply: reply, at: now)
        case .leaseDeletion(let name, let reply): leaseDeleted(name, reply: reply, at: now)
        case .waits(let plugin, _): waitsWritten(of: plugin, at: now)
        case .keeping: break
        }
    }

    mutating func rollBack(_ ticket: Ticket, because message: String, at now: Moment) {
        guard let change = inFlight.take(ticket) else { return }
        switch change {
        case .submission(let submission): rollBack(submission, because: message, at: now)
        case .trigger(let event, let reply): notTriggered(event, reply: reply, because: message, at: now)
        case .arrival(let event): arrived(event, isWritten: false, at: now)
        case .cancellation(let cancellation): rollBack(cancellation, because: message, at: now)
        case .lapse(let lapse): rollBack(lapse, because: message, at: now)
        case .pushes(let pushes): rollBack(pushes, because: message, at: now)
        case .alert(let alert): rollBack(alert, because: message, at: now)
        case .alertsShown(let plugin, let numbers): notShown(numbers, of: plugin, at: now)
        case .stop(let task, let change, let reply): stopNotRecorded(task, change, reply: reply, message, at: now)
        case .launchStop(let launch, let tasks, let change, let reply):
            launchStopNotRecorded(launch, tasks, change, reply: reply, because: message, at: now)
        case .welcome(let plugin, _, let event): notWelcomed(plugin, event, at: now)
        case .leave(let plugin, _): notRemembered(plugin, at: now)
        case .launchStart(let launch, let change): launchNotRecorded(launch, change, because: message, at: now)
        case .delivery(let launch, let task, let change):
            notDelivered(task, to: launch, change, because: message, at: now)
        case .launchRecord(let launch): recordingFailed(launch, because: message, at: now)
        case .clearance(let clearance, let change): notCleared(clearance, change, because: message, at: now)
        case .pause(let plugin, _, let reply):
            pauseNotRecorded(of: plugin, reply: reply, because: message, at: now)
        case .cursorClearing(let reply): emit(.answer(reply, .notRecorded(message: message)))
        case .transferPause(let transfer, let reply):
            pauseNotRecorded(of: transfer, reply: reply, because: message, at: now)
        case .pushToken(let staged): rollBack(staged, because: message, at: now)
        case .lease(_, let reply), .leaseDeletion(_, let reply):
            emit(.answer(reply, .notRecorded(message: message)))
        case .waits(let plugin, let classes): waitsNotWritten(of: plugin, classes, at: now)
        case .keeping(let changes):
            kept += changes
            agenda.add(.keep, at: now.monotonic + configuration.hostRetryDelay)
        }
    }

    // MARK: Changes without a waiting caller

    /// Journals an entry that belongs to no other change. After a failed commit the entry is staged again.
    mutating func note(_ entry: JournalEntry) { keep([.journal(entry)]) }

    /// Stages changes that no decision waits for. After a failed commit they are staged again.
    mutating func keep(_ changes: [LedgerChange]) {
        // The user is set now, because a change that fails is staged again after the call has ended.
        let changes = callingUser.map { user in changes.map { $0.caused(by: user) } } ?? changes
        stage(.keeping(changes), changes)
    }

    /// Stages the changes of `kept` again, after their commit failed. They get the current values, because newer values
    /// may have been written in the meantime.
    mutating func keepAnew() {
        let changes = kept.compactMap { change -> LedgerChange? in
            switch change {
            case .setFetch(let plugin, _): .setFetch(plugin, fetches[plugin])
            // A later occurrence is in flight, and is staged again itself if it fails.
            case .recordOccurrence(let identifier, _) where inFlight.containsOccurrence(of: identifier): nil
            case .recordOccurrence(let identifier, let at):
                .recordOccurrence(identifier, at: occurrences[identifier] ?? at)
            // The uses of a plugin without a record are dropped.
            case .setUses(let plugin, _): uses[plugin].map { .setUses(plugin, $0) }
            case .journal, .countPushes, .showAlert: change
            // These belong to changes that are not kept; they hold no value that could be out of date.
            case .storeRequest, .removeRequest, .storeEvent, .removeEvent, .startLaunch, .startTask, .moveLaunch,
                .endTask, .requeueTask, .storeCursor, .dropCursor, .restart, .setStandstills, .forbidRequeue,
                .endLaunch, .recordWait, .setDeferrals, .rememberPlugin,
                .forgetPlugin, .setPause, .keepPushAnswer, .changePushToken, .storeTransfer, .takeTransfer,
                .dropTransfers, .storeAlert, .showNotification, .raiseIncarnation, .storeLease,
                .removeLease:
                change
            }
        }
        kept = []
        if !changes.isEmpty { keep(changes) }
    }

    // MARK: Pending requests according to the ledger

    /// Adds a request that is on disk to the pending requests of its plugin. A request whose earliest begin or retry
    /// delay has not passed is upcoming; any other request joins its group of ready requests.
    ///
    /// - Parameter readySince: the time at which the request became due; nil when it becomes due now or later.
    mutating func place(_ request: PendingRequest, readySince: WallTime? = nil, at now: Moment) {
        let (plugin, identifier) = (request.plugin, request.request.identifier)
        if let old = plugins[plugin].requests.number(of: identifier) {
            plugins[plugin].origins[old] = nil
            countRemoval(of: identifier, plugin)
        }
        pendingCount += 1
        pendingByKind[request.request.kind, default: 0] += 1
        var request = request
        request.retry.dropVoidCooldown(at: now, configuration)
        let due = request.due(at: now, configuration)
        plugins[plugin].requests.insert(request, dueAt: due, readySince: readySince, at: now.wall)
        if transfers[plugin]?[request.number]?.isPaused == true { plugins[plugin].requests.setPaused(identifier, true) }
        awaitDownloads(of: request, at: now)
        if let due { agenda.add(.requests(plugin), at: due) }
        if let deadline = request.request.expiresAt { agenda.add(.deadlines(plugin), at: deadline) }
        if owners[identifier] != plugin { strays[identifier, default: []].insert(plugin) }
        if request.needsUnlockedContainer { toWatchAnew.insert(plugin) }
        applyClaim(of: request, at: now)
    }

    /// Removes the request `number` after its removal was committed. A newer pending request of the identifier stays.
    mutating func remove(_ identifier: TaskIdentifier, _ number: SubmissionNumber, of plugin: PluginIdentifier) {
        guard plugins[plugin].requests.number(of: identifier) == number else { return }
        countRemoval(of: identifier, plugin)
        plugins[plugin].requests.remove(identifier, number: number)
        plugins[plugin].origins[number] = nil
        toWatchAnew.insert(plugin)
        if strays[identifier]?.remove(plugin) != nil, strays[identifier]?.isEmpty == true { strays[identifier] = nil }
    }

    /// Counts the removal of a pending request, which is still stored.
    private mutating func countRemoval(of identifier: TaskIdentifier, _ plugin: PluginIdentifier) {
        pendingCount -= 1
        if let kind = plugins[plugin].requests.kind(of: identifier) { pendingByKind[kind, default: 1] -= 1 }
    }

    /// Adds an event that is on disk to the queue of its plugin.
    mutating func insert(_ event: PendingEvent, at now: Moment) {
        var event = event
        event.retry.dropVoidCooldown(at: now, configuration)
        plugins[event.plugin].events.insert(event)
        waitingEventCount += 1
    }

    /// Removes the event `number` after its removal was committed.
    mutating func remove(event number: SubmissionNumber, of plugin: PluginIdentifier) {
        guard plugins[plugin].events.contains(number) else { return }
        plugins[plugin].events.remove(number)
        waitingEventCount -= 1
    }

    /// The plugin with a pending or running task of the identifier; otherwise the plugin whose manifest permits the
    /// identifier. Nil when neither exists.
    package func holder(of identifier: TaskIdentifier) -> PluginIdentifier? {
        let owner = owners[identifier]
        if let owner, plugins.contains(owner), plugins[owner].requests.expectedNumber(identifier) != nil {
            return owner
        }
        let stray = strays[identifier]?.sorted().first { plugin in
            plugins.contains(plugin) && plugins[plugin].requests.expectedNumber(identifier) != nil
        }
        if let stray { return stray }
        return launches.numbers(running: identifier).first.flatMap(launches.find)?.plugin ?? owner
    }
}
