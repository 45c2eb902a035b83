// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// Background transfers (C24): a transfer waits like a request, and a launch of the host's transfer library performs it
// under the rights of its plugin.
extension Scheduler {
    /// Accepts or refuses a transfer. Extensions have none.
    mutating func begin(_ transfer: NewTransfer, for asker: SubmissionAsker, at now: Moment) {
        let plugin = transfer.plugin
        if let refusal = refusal(of: transfer.description, by: plugin) {
            if case .caller(let reply) = asker { emit(.answer(reply, .refused(refusal))) }
            if case .function(let plugin, let identifier) = asker, !isStopping {
                noteRefusedDownload(for: identifier, of: plugin, because: refusal, at: now)
            }
            return
        }
        let number = nextSubmission()
        let request = TaskRequest.transfer(
            number,
            of: plugin,
            earliestBegin: transfer.earliestBegin,
            expiresAt: transfer.expiresAt,
            isDiscretionary: transfer.description.isDiscretionary
        )
        let submission = Submission(
            request: request,
            payload: Array(transfer.description.text.utf8),
            submitter: .plugin(transfer.plugin),
            launch: transfer.launch,
            transfer: transfer.description
        )
        submit(submission, for: asker, at: now)
    }

    /// The refusal of a transfer for reasons that its description gives; nil without one.
    private func refusal(of transfer: TransferDescription, by plugin: PluginIdentifier) -> SubmissionRefusal? {
        if isStopping { return .hostStopping(remedy: "begin the transfer again after the host's restart") }
        guard plugins.contains(plugin), let entry = plugins[plugin].entry else { return .notInstalled(plugin) }
        return SubmissionRules.refusal(of: transfer, for: entry, under: configuration)
    }

    /// The transfer of an accepted request, as recorded; nil for a request of another kind.
    func transfer(of request: PendingRequest, described description: TransferDescription?) -> Transfer? {
        description.map { description in
            Transfer(
                description,
                plugin: request.plugin,
                number: request.number,
                place: place(of: request.number),
                begunAt: request.submittedAt
            )
        }
    }

    /// The terms of the transfers of a launch, from the present configuration.
    func terms(ofTransfersIn plan: LaunchPlan) -> [SubmissionNumber: TransferTerms] {
        if plan.lane != .transfer { return [:] }
        let policy = plugins[plan.plugin.identifier].policy
        let rate = configuration.discretionaryRatePerLaunch ?? 0
        let reserve = configuration.diskReserve.leftByTransfers(onDiskOf: configuration.transfers.diskBytes)
        return plan.tasks.reduce(into: [:]) { terms, task in
            guard case .request(let request) = task.work,
                let transfer = transfers[request.plugin]?[request.number]
            else { return }
            let isDiscretionary = request.request.isDiscretionaryTransfer
            terms[request.number] = TransferTerms(
                of: transfer,
                rate: isDiscretionary ? rate : 0,
                reserve: reserve,
                permitsPrivateAddresses: policy.allowsPrivateAddresses
            )
        }
    }

    /// The name of the files of a transfer. Its random part differs between hosts and starts of a host.
    private func place(of number: SubmissionNumber) -> String {
        var random = SeededGenerator(seed: jitterSeed &+ UInt64(bitPattern: number.rawValue), for: "transfer")
        let digits = String(random.next(), radix: 16)
        return "\(number)-" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    // MARK: Messages

    /// Records the end of a try. Only the first one before the completion counts.
    mutating func transferEnded(_ number: LaunchNumber, _ id: TaskID, _ end: TransferEnd) {
        guard let execution = launches.listening(number), launches.find(number)?.lane == .transfer,
            let index = execution.index(of: id), execution.tasks[index].outcome == nil,
            execution.tasks[index].transferEnd == nil
        else { return }
        launches.execute(number) { $0.tasks[index].transferEnd = end }
    }

    /// Records that a plugin took the file of a transfer of its own.
    mutating func transferTaken(_ number: SubmissionNumber, in launch: LaunchNumber) {
        guard let plugin = launches.find(launch)?.plugin, launches.listening(launch) != nil else { return }
        let main = mainPlugin(of: plugin)
        untakenFiles[main]?.remove(number)
        dropEmptyCount(of: main)
        keep([.takeTransfer(main, number)])
    }

    // MARK: Launches

    /// The transfers that launches run now, each with its newest report.
    package var runningTransfers: RunningTransfers {
        let running = launches.values.filter { $0.lane == .transfer }.flatMap(\.tasks).filter { $0.outcome == nil }
        return RunningTransfers(running.map { ($0.work.number, $0.progress) })
    }

    /// The entry of a launch in the lane: the plugin's own, or in the lane of transfers that of the transfer library.
    func entry(of plugin: PluginIdentifier, in lane: Lane) -> PluginEntry? {
        guard let entry = plugins[plugin].entry else { return nil }
        return lane == .transfer ? configuration.transfers.library.map(entry.transferring) : entry
    }

    /// Maximum number of launches of one plugin in the lane of transfers.
    private static let mostTransferLaunches = 2

    /// Frees the lane of transfers for another launch of the plugin while this one runs, so that a long transfer does
    /// not delay all later ones.
    mutating func shareTransferLane(of plugin: PluginIdentifier) {
        let running = launches.numbers(of: plugin).compactMap(launches.find).filter { $0.lane == .transfer }
        guard running.count < Self.mostTransferLaunches, running.allSatisfy({ !$0.isUnderWay }) else { return }
        plugins[plugin].occupants[.transfer] = nil
    }
}
