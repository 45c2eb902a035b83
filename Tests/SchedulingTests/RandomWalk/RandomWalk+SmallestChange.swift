// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// The check of C13: in a copy of the host, the change that `why` proposes is made, and the work must run.
extension RandomWalk {
    func trySmallestChange() {
        guard model.isAtRest, !host.scheduler.loading.isPartial, host.commits == .written, host.runners == .ready
        else { return }
        let now = host.clock.now
        let waiting = Lane.allCases.flatMap { host.scheduler.waiting(in: $0, at: now) }
        guard let (work, reasons) = pick(waiting.filter { $0.reasons.count == 1 }), let reason = reasons.first else {
            return
        }
        model.tally.changes += 1
        last += ", then the change that ends \(reason.code) of \(work.label) (\(work.number))"
        let twin = host.twin(change: reason)
        twin.onComplaint = { [unowned self] in complain("in a twin: \($0)") }
        twin.make(reason, for: work)
        let left = twin.reasons(against: work)
        if left.isSubset(of: Obstacles.passing.union(unknown(before: reason, of: work))) { return }
        complain("\(work.label) (\(work.number)) waits for \(reason.code), and after that for \(left.sorted())")
    }

    /// Codes of reasons that the change may reveal, because the host cannot know them before: an absent plugin's policy
    /// and main plugin, with the pause of the latter, the time of running launches, and a retry delay of a clock that
    /// was ahead.
    private func unknown(before change: Reason, of work: PendingWork) -> Set<String> {
        // The end of a launch adds its time to the day budget.
        if case .laneBusy = change { return ["day-budget"] }
        if case .launchLimit = change { return ["day-budget"] }
        // A restart examines a retry delay of a clock that was ahead anew: its end may be near by then.
        let isRestart = ["plugin-disabled", "background-denied", "background-refresh-off", "host-stopping"]
        if isRestart.contains(change.code), model.voidCooldowns[work.number] != nil { return ["retry-delay"] }
        if case .pluginPaused = change { return [] }
        guard change.code.hasPrefix("plugin-") else { return [] }
        let isOrphan = work.plugin == .keyboard && model.mainPlugin(of: .keyboard) == nil
        let policy: Set<String> = ["plugin-disabled", "background-denied", "background-refresh-off"]
        return isOrphan ? policy.union(["plugin-missing", "plugin-refused", "plugin-paused"]) : policy
    }
}

extension SchedulerDriver {
    /// A copy of the host with the same state, in which commits, runners and loads succeed. If the operator's
    /// configuration causes the reason, the copy has a configuration without it.
    fileprivate func twin(change: Reason) -> SchedulerDriver {
        let twin = SchedulerDriver(conditions: conditions) {
            $0 = configuration
            switch change {
            case .pluginDisabled(let plugin): $0.plugins[plugin]?.isEnabled = true
            case .backgroundDenied(let plugin): $0.plugins[plugin]?.isBackgroundDenied = false
            case .backgroundRefreshOff(let plugin?): $0.plugins[plugin]?.isBackgroundRefreshOn = true
            case .backgroundRefreshOff(nil): $0.isBackgroundRefreshOn = true
            default: break
            }
        }
        twin.isStrict = false
        (twin.clock, twin.ledger, twin.scheduler) = (clock, ledger, scheduler)
        (twin.installed, twin.refused, twin.processes, twin.arrivals) = (installed, refused, processes, arrivals)
        (twin.plansByNumber, twin.simulated, twin.wake, twin.watch) = (plansByNumber, simulated, wake, watch)
        (twin.lastReply, twin.killTimes, twin.catalogue) = (lastReply, killTimes, catalogue)
        return twin
    }

    /// Makes the change that the remedy of the reason names, and no other.
    fileprivate func make(_ change: Reason, for work: PendingWork) {
        switch change {
        case .pluginMissing(let plugin), .pluginRefused(let plugin, _): mend(plugin)
        case .identifierNotPermitted, .modeMissing, .entitlementMissing, .pluginTooOld: mend(work.plugin)
        case .pluginDisabled, .backgroundDenied, .backgroundRefreshOff, .hostStopping: restart()
        case .pluginPaused(let plugin, _): resume(plugin)
        case .earliestBegin: submitAgain(work, change)
        // A request whose deadline has passed lapses then.
        case .deadlinePassed, .retryDelay, .relaunchSpacing, .spacing, .kindSpacing, .dayBudget, .stagger, .useSpacing,
            .runnerUnavailable:
            pass(change)
        case .externalPower: self.change(power: true)
        case .network: self.change(network: true)
        case .metered: self.change(.metered, to: false)
        case .containerLocked: self.change(locked: [])
        case .resourcesMissing: self.change(resources: .gpu)
        case .useUnknown: self.change(useUnknown: false)
        case .notIdle: self.change(idle: true)
        case .highLoad: self.change(busy: false)
        case .batteryLow: self.change(.batteryLow, to: false)
        case .powerSaver: self.change(.powerSaver, to: false)
        case .memoryPressure: self.change(memoryLow: false)
        case .heat: self.change(hot: false)
        case .laneBusy(_, let launch, _): finish(launch)
        case .launchLimit(let lane, _, _):
            for launch in scheduler.launches.values.filter({ $0.lane == lane }).map(\.number).sorted() {
                finish(launch)
            }
        // The walk takes no samples of the disk.
        case .othersRunAlone, .diskReserve, .beingRecorded: break
        // The walk begins no transfers, and has no feeder.
        case .transferLibraryMissing, .networkNotGranted, .transferPaused, .downloadUnfinished, .leaseUnconfirmed: break
        }
    }

    /// The codes of the reasons that still block the work; empty if the work has run or is no longer pending.
    fileprivate func reasons(against work: PendingWork) -> Set<String> {
        // The outcome of a task that ran is irrelevant here.
        if plans.contains(where: { $0.tasks.contains { $0.work.number == work.number } }) { return [] }
        // As the scheduler has it: the ledger may keep a retry delay of a clock that was ahead, which does not count.
        let same = scheduler.pendingRequests.first {
            $0.request.identifier == work.identifier && $0.plugin == work.plugin
        }
        let event = scheduler.pendingEvents.first { $0.number == work.number }
        guard let waiting = work.identifier == nil ? event.map(PendingWork.event) : same.map(PendingWork.request) else {
            return []
        }
        return Set(scheduler.reasons(against: waiting, at: clock.now).map(\.code))
    }

    private func mend(_ plugin: PluginIdentifier) {
        refused[plugin] = nil
        switch plugin {
        case .app: install(RandomWalk.latest)
        case .mail: install(.mail())
        case .keyboard: install(.keyboard(version: "9.0"))
        default: install(RandomWalk.news)
        }
    }

    /// Submits the request again without its earliest begin. A request whose deferral has begun waits instead, because
    /// a newer one would begin a new deferral.
    private func submitAgain(_ work: PendingWork, _ change: Reason) {
        guard case .request(let pending) = work, pending.deferredSince == nil else { return pass(change) }
        let old = pending.request
        let request = TaskRequest(
            identifier: old.identifier,
            kind: old.kind,
            requiresNetwork: old.requiresNetwork,
            requiresExternalPower: old.requiresExternalPower,
            protection: old.protection,
            continued: old.continued
        )
        _ = ask { .submitted(Submission(request: request, submitter: .user), reply: $0) }
    }

    private func pass(_ change: Reason) {
        guard let end = change.end(at: clock.now) else { return }
        advance(by: max(.zero, end - clock.now.wall))
    }

    private func finish(_ number: LaunchNumber) {
        guard let plan = processes[number], let execution = scheduler.launches.find(number)?.execution else { return }
        if execution.kill != nil { return end(plan, .signaled(9)) }
        if case .stopping? = scheduler.launches.find(number)?.phase { return end(plan, .exited(code: 0)) }
        if execution.entry.isRunning { enter(plan) }
        for count in 1...4 as ClosedRange<UInt32> { endAssertion(count, in: plan) }
        for task in scheduler.launches.find(number)?.tasks ?? [] where task.outcome == nil {
            send(.completed(number, task.id, .success))
        }
        for count in 1...4 as ClosedRange<UInt32> { endAssertion(count, in: plan) }
    }
}
