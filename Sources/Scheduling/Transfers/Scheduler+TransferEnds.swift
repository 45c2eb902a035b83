// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import TaskModel

// The ends of transfers. Whatever ends a transfer, its result, the end of its session and the event about this end are
// recorded in one commit, together with the end of its request.
extension Scheduler {
    // MARK: Tries

    /// Ends or requeues a transfer whose task the transfer library has completed.
    mutating func endTry(_ number: LaunchNumber, _ index: Int, at now: Moment) {
        guard let task = launches.find(number)?.execution?.tasks[index] else { return }
        let isCutOff = task.expiration.map { $0.reason != .noProgress } ?? false
        let ending: TransferTry
        if let end = task.transferEnd, !isCutOff || end.result != .transient {
            ending = .reported(end)
        } else {
            ending = isCutOff ? .cutOff : .failed
        }
        conclude(ending, of: number, index, because: task.expirationName.map { "expired (\($0))" }, at: now)
    }

    /// Ends or requeues a transfer whose launch ended before the task was completed.
    mutating func cutOff(_ number: LaunchNumber, _ judgement: Aftermath.Judgement, at now: Moment) {
        guard let task = launches.find(number)?.execution?.tasks[judgement.index],
            case .returned(let outcome, _) = judgement.verdict
        else { return }
        let isStalled = task.expiration?.reason == .noProgress
        let ending: TransferTry = outcome != .interrupted ? .crashed : isStalled ? .failed : .cutOff
        conclude(ending, of: number, judgement.index, because: judgement.message, at: now)
    }

    private mutating func conclude(
        _ ending: TransferTry,
        of number: LaunchNumber,
        _ index: Int,
        because cause: String?,
        at now: Moment
    ) {
        guard let task = launches.find(number)?.execution?.tasks[index], case .request(let request) = task.work else {
            return
        }
        guard let transfer = transfers[request.plugin]?[request.number] else {
            let message = "the ledger has no record of the transfer; begin it again"
            return end(number, index, as: .failed, blame: .machine, message: message, at: now)
        }
        let identifier = request.request.identifier
        let isBeingCancelled = plugins[request.plugin].requests.overlay.forbidsReturn(of: request.number, identifier)
        var random = SeededGenerator(
            seed: jitterSeed &+ UInt64(bitPattern: request.number.rawValue) &+ UInt64(request.retry.failures) << 48,
            for: identifier.text
        )
        let verdict = TransferVerdict(
            on: transfer,
            after: ending,
            hasMoved: task.hasMovedCursor,
            retry: request.retry,
            isCancelled: task.wasCancelled || task.isToStop || isBeingCancelled,
            under: configuration.transfers,
            using: &random,
            at: now.wall
        )
        transfers[request.plugin]?.set(verdict.transfer)
        let message = verdict.message(after: cause)
        switch verdict.decision {
        case .ends(let state, let fault):
            let ends = endTransfers(among: [request], as: state, fault: fault, at: now)
            end(
                number,
                index,
                as: state == .finished ? .succeeded : fault == .noProgress ? .noProgress : .failed,
                blame: state == .failed ? .machine : .nobody,
                message: message,
                ends: ends,
                at: now
            )
        case .again(let retry, let delay):
            let judgement = Aftermath.Judgement(
                index: index,
                verdict: .returned(.continues, retry),
                blame: .machine,
                message: message,
                delay: delay.map { "; it may run again in \($0.humanReadable)" } ?? ""
            )
            let step = LaunchRecording.Step(changes: [.storeTransfer(verdict.transfer)])
            launches.update(number) { $0.record.waiting.append(step) }
            requeue(number, judgement, .continues, retry, at: now)
        }
    }

    // MARK: Ends

    /// Ends the transfers among requests that end. The changes have to be part of the commit that ends the requests;
    /// `settle` or `takeBack` follows.
    mutating func endTransfers(
        among requests: [PendingRequest],
        as state: TransferState,
        fault: TransferFault? = nil,
        at now: Moment
    ) -> TransferEnds {
        var ends = TransferEnds()
        for request in requests where request.request.kind == .transfer {
            let plugin = request.plugin
            guard let open = transfers[plugin]?.remove(request.number) else { continue }
            ends.transfers.append(open)
            ends.changes += [
                .storeTransfer(open.ended(as: state, fault: fault, at: now.wall)),
                .dropCursor(plugin, open.identifier),
            ]
            if transfers[plugin]?.contains(open.session) == true { continue }
            if transfers[plugin]?.isEmpty == true { transfers[plugin] = nil }
            endSession(open.session, with: request, in: &ends, at: now)
        }
        return ends
    }

    /// Adds the event about the end of a session. It replaces a waiting event about an earlier end of this session.
    ///
    /// - Parameter last: the transfer that ended last.
    private mutating func endSession(
        _ session: TransferSession,
        with last: PendingRequest,
        in ends: inout TransferEnds,
        at now: Moment
    ) {
        let plugin = last.plugin
        guard plugins.contains(plugin), !hasFunctions(plugin) else { return }
        var replaced: PendingEvent?
        let starting = Set(
            launches.numbers(of: plugin).compactMap(launches.find).filter(\.isUnderWay).flatMap(\.tasks)
                .map(\.work.number)
        )
        for event in plugins[plugin].events.all where event.session == session && !starting.contains(event.number) {
            ends.changes += [.removeEvent(event.number), .journal(.replaced(event, at: now))]
            ends.replaced.append(event)
            replaced = event
            remove(event: event.number, of: plugin)
        }
        let event = PendingEvent(
            plugin: plugin,
            number: nextSubmission(),
            type: .transfersFinished,
            session: session,
            createdAt: now.wall,
            retry: relaunch(after: last, replacing: replaced, at: now)
        )
        ends.changes.append(.storeEvent(event, payload: Array(session.text.utf8)))
        ends.events.append(event)
        plugins[plugin].events.begin(event)
    }

    /// Applies the ends of transfers that are on disk.
    mutating func settle(_ ends: TransferEnds, of plugin: PluginIdentifier, at now: Moment) {
        if ends.isEmpty { return }
        for event in ends.events {
            plugins[plugin].events.end(event)
            insert(event, at: now)
        }
        if !ends.events.isEmpty { consider(plugin, .event, at: now) }
        countFiles(ends.changes, of: plugin)
        // The end of a running launch sweeps too: without this condition 1,000 ends would cause 1,000 sweeps.
        let isRunning = launches.numbers(of: plugin).contains { launches.find($0)?.lane == .transfer }
        if !ends.events.isEmpty || !isRunning { emit(.sweepTransfers(plugin)) }
        for transfer in ends.transfers { downloadEnded(transfer, at: now) }
    }

    /// Makes the transfers of a failed commit open again.
    mutating func takeBack(_ ends: TransferEnds, of plugin: PluginIdentifier, at now: Moment) {
        for transfer in ends.transfers { transfers[plugin, default: OpenTransfers()].set(transfer) }
        for event in ends.events { plugins[plugin].events.end(event) }
        for event in ends.replaced { insert(event, at: now) }
    }

    /// Forgets a transfer that was not accepted, because its commit failed.
    mutating func forgetTransfer(_ number: SubmissionNumber, of plugin: PluginIdentifier) {
        _ = transfers[plugin]?.remove(number)
        if transfers[plugin]?.isEmpty == true { transfers[plugin] = nil }
    }

    /// The change that deletes the results which a plugin has handled: the event about their session succeeded.
    /// Downloaded files that the plugin did not take stay.
    mutating func droppingHandled(_ work: PendingWork) -> [LedgerChange] {
        guard case .event(let event) = work, let session = event.session else { return [] }
        untakenFiles[event.plugin]?.removeResponses(of: session, before: event.number)
        dropEmptyCount(of: event.plugin)
        return [.dropTransfers(event.plugin, session, before: event.number)]
    }
}

extension JournalEntry {
    /// The entry about a waiting event whose session ended again.
    fileprivate static func replaced(_ event: PendingEvent, at now: Moment) -> JournalEntry {
        JournalEntry(
            at: now.wall,
            event: .replaced,
            plugin: event.plugin,
            label: event.type.name,
            submission: event.number,
            blame: .nobody,
            message: "the session ended again before the event was delivered; one event reports both ends"
        )
    }
}

extension PendingWork {
    /// Whether the work is the event about the end of a session of transfers.
    var isSessionEvent: Bool {
        if case .event(let event) = self { event.session != nil } else { false }
    }
}

extension Transfer {
    fileprivate func ended(as state: TransferState, fault: TransferFault?, at now: WallTime) -> Transfer {
        var ended = self
        ended.state = state
        ended.fault = state == .failed ? fault ?? self.fault : nil
        ended.endedAt = now
        ended.file = state == .finished ? filePath : nil
        ended.isPaused = false
        return ended
    }
}

extension TransferVerdict {
    /// The message of the journal about the try.
    fileprivate func message(after cause: String?) -> String {
        let progress = transfer.total.map { "\(transfer.bytes) of \($0) bytes" } ?? "\(transfer.bytes) bytes"
        let status = transfer.httpStatus.map { "status \($0)" }
        let remark = transfer.message.isEmpty ? nil : transfer.message.terminalSafe
        let parts = [cause, status, transfer.fault?.name, remark]
        let text = parts.compactMap(\.self).joined(separator: ", ")
        switch decision {
        case .ends(.finished, _): return "transferred \(progress)"
        case .ends(.cancelled, _): return "cancelled after \(progress)"
        case .ends(_, let fault):
            return "failed after \(progress): \(text.isEmpty ? fault?.name ?? "no cause is known" : text)"
        case .again: return "transferred \(progress)" + (text.isEmpty ? "" : ": \(text)") + "; the transfer continues"
        }
    }
}
