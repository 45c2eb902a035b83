// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Pauses of single transfers by users, and the expiration of running transfers.
extension Scheduler {
    /// Pauses a transfer, or ends its pause. A running transfer is expired, and waits behind its cursor.
    mutating func setPaused(_ isPaused: Bool, _ identifier: TaskIdentifier, reply: ReplyToken, at now: Moment) {
        guard let (plugin, number) = identifier.transfer, var transfer = transfers[plugin]?[number] else {
            let message = "no open transfer \(identifier) exists; list the transfers with: bgtask transfer list"
            return emit(.answer(reply, .noSuchTransfer(message: message)))
        }
        transfer.isPaused = isPaused
        transfers[plugin]?.set(transfer)
        let entry = JournalEntry(
            at: now.wall,
            event: isPaused ? .transferPaused : .transferResumed,
            plugin: plugin,
            label: identifier.text,
            submission: number,
            blame: .nobody,
            message: isPaused ? "the transfer waits until a user resumes it" : "the transfer may run again"
        )
        stage(.transferPause(transfer, reply: reply), [.storeTransfer(transfer), .journal(entry)])
    }

    mutating func pauseRecorded(of transfer: Transfer, reply: ReplyToken, at now: Moment) {
        let (plugin, identifier) = (transfer.plugin, transfer.identifier)
        emit(.answer(reply, .transferPaused(transfer.isPaused)))
        guard plugins.contains(plugin) else { return }
        plugins[plugin].requests.setPaused(identifier, transfer.isPaused)
        if transfer.isPaused {
            for launch in launches.numbers(running: identifier) {
                let index = launches.listening(launch)?.index(ofUnfinished: identifier)
                expire(launch, index.map { [$0] } ?? [], because: .stoppedByUser, at: now)
            }
        }
        consider(plugin, .transfer, at: now)
    }

    mutating func pauseNotRecorded(
        of transfer: Transfer,
        reply: ReplyToken,
        because message: String,
        at now: Moment
    ) {
        if var open = transfers[transfer.plugin]?[transfer.number] {
            open.isPaused = !transfer.isPaused
            transfers[transfer.plugin]?.set(open)
        }
        emit(.answer(reply, .notRecorded(message: message)))
    }

    /// Expires the running transfers of a plugin. They continue behind their cursors when nothing blocks them any more.
    mutating func expireTransfers(of plugin: PluginIdentifier, because reason: ExpirationReason, at now: Moment) {
        for number in launches.numbers(of: plugin) where launches.find(number)?.lane == .transfer {
            guard let execution = launches.listening(number), execution.entry == .returned else { continue }
            expire(number, execution.unfinished, because: reason, at: now)
        }
    }

    /// Expires the running transfers of a plugin that has lost a right of their launch: the plugin was removed, refused,
    /// disabled or denied background work, or its grants, limits or permission for private addresses have changed. The
    /// launch has no budget, and would keep the lost right for days.
    mutating func expireTransfers(withoutRightsOf plugin: PluginIdentifier, at now: Moment) {
        for number in launches.numbers(of: plugin) where launches.find(number)?.lane == .transfer {
            expireTransfers(ifWithoutRights: number, at: now)
        }
    }

    /// Expires the running transfers of a launch if their plugin has lost a right of the launch, or is paused. Before
    /// the library has entered there is nothing to expire: the end of the entry calls this function again.
    mutating func expireTransfers(ifWithoutRights number: LaunchNumber, at now: Moment) {
        guard let execution = launches.listening(number), launches.find(number)?.lane == .transfer,
            execution.entry == .returned, !hasRights(of: execution.plan)
        else { return }
        expire(number, execution.unfinished, because: .stoppedByUser, at: now)
    }

    /// Whether a plugin may perform transfers now with the rights of a launch.
    ///
    /// - Parameter plan: the plan of the launch.
    private func hasRights(of plan: LaunchPlan) -> Bool {
        let launched = plan.plugin
        let plugin = launched.identifier
        guard plugins.contains(plugin), let entry = plugins[plugin].entry, pauses[plugin] == nil else { return false }
        let (policy, present) = (plugins[plugin].policy, entry.transferring(by: launched.library))
        return policy.isEnabled && !policy.isBackgroundDenied && present.grants == launched.grants
            && present.limits == launched.limits
            && plan.transferTerms.values.allSatisfy { $0.permitsPrivateAddresses == policy.allowsPrivateAddresses }
    }

    /// Expires the running transfers whose cancellation is recorded. Other cancelled tasks go on.
    mutating func expireCancelledTransfers(_ tasks: [RunningTask], at now: Moment) {
        for task in tasks where task.identifier?.transfer != nil {
            let index = launches.listening(task.launch)?.index(of: task.id)
            expire(task.launch, index.map { [$0] } ?? [], because: .stoppedByUser, at: now)
        }
    }
}
