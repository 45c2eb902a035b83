// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// Invariants while no change is in flight: all waiting work has reasons, and every reason holds.
extension NaiveHost {
    var isAtRest: Bool { underWay.isEmpty && preparing.isEmpty && host.heldRunners.isEmpty }

    func checkRest() {
        guard isAtRest else { return }
        tally.looks += 1
        for lane in Lane.allCases {
            for (work, reasons) in host.scheduler.waiting(in: lane, at: now) { check(work, waitsFor: reasons) }
        }
        for launch in launches.values where !launch.isConcluded && launch.end == nil { checkTime(of: launch) }
        checkHolds()
        checkMemory()
        checkAcknowledged()
        checkWatch()
    }

    private func check(_ work: PendingWork, waitsFor reasons: [Reason]) {
        if dead.contains(work.number) { complain("\(work.label) (\(work.number)) is pending, though it was over") }
        if reasons.isEmpty { return complain("\(work.label) (\(work.number)) waits without a reason") }
        let reported = Set(reasons.map(\.code))
        let found = obstacles(to: work)
        let passing = passingObstacles(to: work)
        let sure = found.sure.union(passing.sure)
        let missing = sure.subtracting(reported)
        if !missing.isEmpty {
            complain(
                "\(work.label) (\(work.number)) does not report that it waits for \(missing.sorted()): \(reported.sorted())"
            )
        }
        let wrong = reported.subtracting(sure).subtracting(found.perhaps).subtracting(passing.perhaps)
        if !wrong.isEmpty {
            complain("\(work.label) (\(work.number)) reports that it waits for \(wrong.sorted()), which it need not")
        }
        if sure.isEmpty, reported == ["others-run-alone"],
            host.ledger.events.first(where: { $0.plugin == work.plugin })?.number == work.number
        {
            complain("\(work.label) (\(work.number)) waits for nobody")
        }
    }

    /// Complains about a launch, an entry or a task that runs longer than permitted.
    private func checkTime(of launch: SeenLaunch) {
        guard launch.isSent, launch.kill == nil else { return }
        if let by = launch.stopKillTime {
            if by < now.monotonic { complain("launch \(launch.number) lingers") }
            return
        }
        if launch.entry == .running {
            if let deadline = launch.entryDeadline, deadline + gracePeriod(of: launch) < now.monotonic {
                complain("the entry of launch \(launch.number) takes too long")
            }
            return
        }
        if launch.entry != .returned { return complain("launch \(launch.number) lives on after its entry failed") }
        // A task that begins after its time is expired by the timer, which is due in the same moment.
        let isDue = host.timeToWake == .zero
        if let limit = limits(of: launch).min(), limit < now.monotonic, !isDue {
            complain("launch \(launch.number) overstays")
        }
        for task in launch.tasks where task.goesOn {
            let limit = task.isContinued ? task.stallsAt : launch.plan.budget.deadline
            if let limit, limit < now.monotonic { complain("task \(task.id) has not expired after its time limit") }
        }
        if launch.undone.isEmpty, launch.assertions.isEmpty { complain("launch \(launch.number) does not finish") }
    }

    /// Complains about a deferral that began too late or too early (C12).
    private func checkHolds() {
        for request in host.scheduler.pendingRequests {
            let state = host.scheduler.plugins[request.plugin]
            // A request that is not ready has no deferral.
            if state.requests.readySince(of: request) == nil || userRequested.contains(request.number)
                || request.isOverdue(at: now.wall)
            {
                continue
            }
            let reported = host.scheduler.presented(request).deferredSince
            if let latest = heldSurely[request.number], reported.map({ $0 > latest }) ?? true {
                complain(
                    "\(request.request.identifier) (\(request.number)) is not held since \(latest) but since"
                        + " \(reported.map { "\($0)" } ?? "never")"
                )
            }
            if let reported, heldPerhaps[request.number].map({ reported < $0 }) ?? true {
                complain("\(request.request.identifier) (\(request.number)) is held too early")
            }
        }
    }

    /// Complains about differences between the scheduler's memory and the ledger.
    private func checkMemory() {
        let scheduler = host.scheduler
        guard scheduler.launches.values.allSatisfy(\.record.isComplete) else { return }
        let isLoaded = { (plugin: PluginIdentifier) in !scheduler.loading.isMissing(plugin) }
        let requests = host.ledger.requests.filter { isLoaded($0.plugin) }.map(PendingWork.request)
        if scheduler.pendingRequests.map(PendingWork.request) != requests.map(withoutVoidCooldown) {
            complain("memory and ledger differ in requests")
        }
        let events = host.ledger.events.filter { isLoaded($0.plugin) }.map(PendingWork.event)
        if scheduler.pendingEvents.map(PendingWork.event) != events.map(withoutVoidCooldown) {
            complain("memory and ledger differ in events")
        }
        let known = scheduler.plugins.names().compactMap { scheduler.plugins[$0].known }
        if Dictionary(uniqueKeysWithValues: known.map { ($0.identifier, $0) }) != host.ledger.known {
            complain("memory and ledger differ in plugins")
        }
        if scheduler.kept.isEmpty, scheduler.uses != host.ledger.uses { complain("memory and ledger differ in uses") }
        let running = scheduler.launches.values.filter { !$0.isPreparing }
        if Set(running.map(\.number)) != host.ledger.runningLaunches.subtracting(leftLaunches.keys) {
            complain("memory and ledger differ in launches")
        }
        for launch in running {
            let unfinished = launch.unfinished.map { launch.tasks[$0].work }
            if unfinished != host.ledger.unfinished(of: launch.number) { complain("launch \(launch.number) differs") }
            if launch.lane != launches[launch.number]?.lane { complain("launch \(launch.number) is in another lane") }
        }
        for plugin in scheduler.plugins.names() where isLoaded(plugin) && !scheduler.plugins[plugin].isWritingWaits {
            checkWaits(of: plugin)
        }
    }

    /// Reports as defects the open waits of a plugin that only the ledger contains, and the changes of waits that
    /// should have been written to the ledger by now.
    private func checkWaits(of plugin: PluginIdentifier) {
        let waits = host.scheduler.plugins[plugin].waits
        for (key, reasons) in host.ledger.waits where key.plugin == plugin {
            if waits[key.workClass] == nil { complain("\(plugin) waits for \(reasons.sorted()) in the ledger alone") }
        }
        for (workClass, wait) in waits where wait.isChanged && wait.settlesAt < now.monotonic {
            if host.timeToWake != .zero { complain("a wait of \(workClass.kind.name) of \(plugin) is not written") }
        }
    }

    /// Complains about an acknowledged submission that is neither pending nor running nor ended in the journal.
    private func checkAcknowledged() {
        let ledger = host.ledger
        for number in acknowledged where ledger.hasJournaled(number) && !ledger.isPresent(number) {
            acknowledged.remove(number)
        }
        for number in acknowledged where !ledger.isPresent(number) && !ledger.unexplained.contains(number) {
            complain("submission \(number) was acknowledged and is nowhere")
        }
    }

    /// Complains if the use of the machine or a container is watched without need, or is needed and not watched (C16).
    private func checkWatch() {
        let running = launches.values.filter { $0.lane != .event && !$0.isConcluded }
        if let first = running.first, !host.watch.sampled {
            complain("no condition is sampled while launch \(first.number) runs")
        }
        if running.isEmpty, host.watch.sampled, host.ledger.requests.isEmpty {
            complain("the machine is watched for nobody")
        }
        for request in host.ledger.requests
        where request.request.kind == .healthResearch && request.request.protection != .none
            && !host.scheduler.loading.isMissing(request.plugin)
        {
            if !host.watch.containers.contains(request.plugin) {
                complain("nobody watches the container of \(request.plugin)")
            }
        }
        checkWatchedAnew()
    }

    /// Compares the scheduler's counters for the watch with a count over all of its launches and plugins.
    private func checkWatchedAnew() {
        let scheduler = host.scheduler
        let working = scheduler.launches.values.filter { $0.lane != .event && !$0.hasEnded }
        if scheduler.launchesAtWork != Dictionary(grouping: working, by: \.plugin).mapValues(\.count) {
            complain("launches at work are miscounted: \(scheduler.launchesAtWork)")
        }
        let hasDue = scheduler.plugins.names().contains { scheduler.plugins[$0].hasRequestsDue }
        if !scheduler.waiters.isEmpty, !hasDue { complain("the machine is watched, and nothing is due") }
        for plugin in scheduler.studying
        where scheduler.launchesAtWork[plugin] == nil && scheduler.plugins.find(plugin)?.requests.studies ?? 0 == 0 {
            complain("the container of \(plugin) is watched for nobody")
        }
    }
}
