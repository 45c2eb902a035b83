// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Going on where the last host stopped.
extension Scheduler {
    /// The first catalogue sets things in motion; until then nothing is decided.
    mutating func restore(_ snapshot: LedgerSnapshot, at now: Moment) {
        for known in snapshot.known { state(of: known.identifier) { $0.known = known } }
        for request in snapshot.requests {
            if request.needsUnlockedContainer { studying.insert(request.plugin) }
            state(of: request.plugin) {
                $0.store(request)
                $0.expected.set(request)
                // Due until looked at: what is not yet due goes to the agenda with the first look.
                $0.becomeDue(request.request.identifier)
            }
        }
        for past in snapshot.past { state(of: past.plugin) { $0.record.note(past) } }
        fetches = snapshot.fetches
        occasions = snapshot.occasions
        restoreWaits(snapshot, at: now)
        for event in snapshot.events { state(of: event.plugin) { $0.store(event) } }
        let plugins = Set(snapshot.running.map(\.plugin))
        let newest = Dictionary(uniqueKeysWithValues: plugins.map { ($0, snapshot.newest(of: $0)) })
        for running in snapshot.running { restore(running, newest: newest[running.plugin] ?? [:], at: now) }
    }

    private mutating func restoreWaits(_ snapshot: LedgerSnapshot, at now: Moment) {
        let works = snapshot.requests.map(PendingWork.request) + snapshot.events.map(PendingWork.event)
        for work in works {
            guard let reasons = snapshot.waits[work.number] else { continue }
            state(of: work.plugin) {
                $0.waits[work.number] = Wait(reasons: reasons, since: now.wall, isWritten: true, mayBeOpen: true)
            }
        }
    }

    /// What the last host left running is known to have ended: its tasks return once that is written.
    mutating func recordRecovery() {
        for number in launches.keys.sorted() { flush(number) }
    }

    private mutating func state(of plugin: PluginIdentifier, _ change: (inout PluginState) -> Void) {
        change(&plugins[plugin, default: PluginState(identifier: plugin)])
    }

    /// Host or machine went down under it: nothing is charged, everything unfinished returns (C3).
    private mutating func restore(
        _ running: LedgerSnapshot.RunningLaunch,
        newest: [TaskIdentifier: SubmissionNumber],
        at now: Moment
    ) {
        var launch = LaunchState(number: running.number, plugin: running.plugin, lane: running.lane)
        launch.phase = .ended
        let cause = "the host or the machine went down while it ran"
        for work in running.unfinished {
            let wasCancelled = running.keptFromReturning.contains(work.number)
            let newer = work.identifier.flatMap { newest[$0] }.flatMap { $0 > work.number ? $0 : nil }
            let returns = !wasCancelled && newer == nil
            var returning = work
            returning.retry.wasInterrupted = true
            var message =
                wasCancelled
                ? "\(cause); cancelled meanwhile, it does not return" : "interrupted, not charged: \(cause)"
            if let newer, let identifier = work.identifier, !wasCancelled {
                message += "; submission \(newer) has taken its place"
                // Neither begun nor cancelled before this is written: the next host would bring the older one back.
                launch.heldBack.append(identifier)
                state(of: running.plugin) { $0.recording[identifier, default: 0] += 1 }
            }
            if case .request(let request) = returning, returns {
                state(of: running.plugin) { $0.expected.set(request) }
            }
            let entry = JournalEntry(
                work,
                .task(.interrupted),
                launch: running.number,
                at: now,
                blame: .machine,
                message: message
            )
            let change: LedgerChange =
                returns ? .returnTask(running.number, returning) : .endTask(running.number, work.number)
            launch.record.waiting.append(
                LaunchRecord.Step(changes: [change, .journal(entry)], returning: returns ? returning : nil)
            )
        }
        let end = LaunchEnd(outcome: .lost, at: now.wall, used: nil, blame: .machine, message: cause)
        let entry = JournalEntry(
            at: now.wall,
            event: .launch(.lost),
            plugin: running.plugin,
            launch: running.number,
            blame: .machine,
            message: cause
        )
        launch.record.waiting.append(
            LaunchRecord.Step(changes: [.endLaunch(running.number, end), .journal(entry)], returning: nil)
        )
        launches[running.number] = launch
        launchesInLane[running.lane, default: 0] += 1
        if running.lane == .continued { return }
        state(of: running.plugin) { $0.occupants[running.lane] = running.number }
    }
}
