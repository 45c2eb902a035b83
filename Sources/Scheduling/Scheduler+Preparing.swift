// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Launches that are prepared during the commit of the request that causes them: the runner starts and enters its
// sandbox meanwhile. Nothing is decided before the commit. The batch is formed afterwards, like any other batch.
extension Scheduler {
    /// Prepares a launch for a background request whose commit is in flight, if the request would start at once when it
    /// is on disk. If the plugin already has such a launch, its batch waits for this request too.
    mutating func prepareLaunch(for request: PendingRequest, during change: ChangeNumber, at now: Moment) {
        let (plugin, lane) = (request.plugin, request.request.kind.lane)
        guard lane == .background else { return }
        if let occupant = plugins[plugin].occupants[lane] {
            if launches.find(occupant)?.isPreparing == true {
                launches.update(occupant) { $0.withPreparation { $0.join(change) } }
            }
        } else if wouldStart(request, at: now) {
            plugins[plugin].occupants[lane] = prepareLaunch(of: plugin, in: lane, during: change)
        }
    }

    /// Whether a launch is prepared for a background request that is accepted now. Ready work of a free lane waits for a
    /// reason, which usually applies to the new request as well: without an evaluation, nothing is then prepared early.
    private func wouldStart(_ request: PendingRequest, at now: Moment) -> Bool {
        !hasCandidates(request.plugin, in: .background) && canStart(request, at: now)
    }

    /// Whether a background request that is accepted now can start at once: in a new launch, or in one that is being
    /// prepared.
    func canStart(_ request: PendingRequest, at now: Moment) -> Bool {
        guard !isStopping, !isLedgerFailing, hasCatalogue, !loading.isMissing(request.plugin),
            request.due(at: now, configuration) == nil, !request.isOverdue(at: now.wall)
        else { return false }
        return obstacles(toNew: request, at: now).isEmpty
    }

    /// Forms the batch of the launch that was prepared for a submission, when the result of its commit is known. After
    /// a failed commit, and without other work that may run, the batch is empty, and the launch is dropped.
    mutating func startPrepared(after change: ChangeNumber, of request: PendingRequest, at now: Moment) {
        let (plugin, lane) = (request.plugin, request.request.kind.lane)
        guard let number = plugins[plugin].occupants[lane], launches.find(number)?.isPreparing == true,
            launches.update(number, { $0.withPreparation { $0.settle(change) } }) == true,
            let runner = launches.find(number)?.preparation?.runner
        else { return }
        commitBatch(of: number, in: runner.process, at: now)
    }

    /// Lets a ready runner enter its sandbox while the submissions of its launch are in flight. Without such
    /// submissions the batch is formed at once.
    mutating func runnerReady(_ number: LaunchNumber, in process: RunnerProcess, at now: Moment) {
        guard let launch = launches.find(number) else { return emit(.dismissRunner(number)) }
        guard let preparation = launch.preparation, preparation.runner == nil else { return }
        guard !isStopping, !preparation.awaited.isEmpty, let entry = plugins[launch.plugin].entry else {
            return commitBatch(of: number, in: process, at: now)
        }
        let runner = ScheduledLaunch.ConfinedRunner(process: process, entry: entry)
        launches.update(number) { $0.withPreparation { $0.runner = runner } }
        emit(.confineRunner(number, entry, launch.lane))
    }
}
