// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Scheduling
import TaskLedger
import TaskModel

// Background transfers. The ledger records open and ended ones; the scheduler has the running ones with their progress.
extension ControlRoutes {
    func transferList(_ query: TransferQuery) async throws -> TransferListReply {
        let running = try await runningTransfers()
        // One transfer more than the page: if it exists, another page follows.
        var selection = TransferSelection(limit: query.limit + 1)
        selection.before = query.after
        selection.plugin = query.plugin
        selection.session = query.session
        selection.states = query.states
        selection.running = running.numbers
        let page = selection
        var transfers = try await recorded { try $0.transfers(page) }
        let hasMore = transfers.count > query.limit
        if hasMore { transfers.removeLast() }
        if transfers.isEmpty, let plugin = query.plugin { try await requireInstalled(plugin) }
        return TransferListReply(
            transfers: transfers.map { TransferReply($0, among: running) },
            next: hasMore ? transfers.last?.number : nil
        )
    }

    func transfer(_ text: String) async throws -> TransferReply {
        let transfer = try await recordedTransfer(SubmissionNumber(validatingTransfer: text))
        return TransferReply(transfer, among: try await runningTransfers())
    }

    func setTransferPaused(_ isPaused: Bool, _ text: String) async throws -> TransferPauseReply {
        let transfer = try await recordedTransfer(SubmissionNumber(validatingTransfer: text))
        let identifier = transfer.identifier
        switch await ask({ .transferPauseRequested(identifier, isPaused: isPaused, reply: $0) }) {
        case .transferPaused(let isPaused): return TransferPauseReply(transfer.number, isPaused: isPaused)
        case let answer: throw unexpected(answer)
        }
    }

    func cancelTransfer(_ text: String) async throws -> TransferCancellationReply {
        let transfer = try await recordedTransfer(SubmissionNumber(validatingTransfer: text))
        let (identifier, plugin) = (transfer.identifier, transfer.plugin)
        switch await ask({ .cancelRequested(identifier, of: plugin, reply: $0) }) {
        case .cancelled:
            // The count has no running transfers. These are expired, and end later.
            let state = try await recorded { try $0.transfer(transfer.number) }?.state ?? transfer.state
            return TransferCancellationReply(transfer.number, isCancelled: !state.isEnded || state == .cancelled)
        case let answer: throw unexpected(answer)
        }
    }

    private func recordedTransfer(_ number: SubmissionNumber) async throws -> Transfer {
        guard let transfer = try await recorded({ try $0.transfer(number) }) else {
            throw RouteError.noSuchTransfer(number)
        }
        return transfer
    }

    private func runningTransfers() async throws -> RunningTransfers {
        try await read { scheduler, _ in scheduler.runningTransfers }
    }
}
