// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Logging
import RunnerWire
import Scheduling
import TaskLedger
import TaskModel

// Calls and reports of runners about transfers. The lists are read from the ledger, on a thread for disk access.
extension DecisionLoop {
    /// The scheduler events of a message.
    func events(
        of message: RunnerTransferMessage,
        from plugin: PluginIdentifier,
        in launch: LaunchNumber,
        _ core: borrowing Scheduler
    ) -> [SchedulerEvent] {
        // The transfers belong to the main plugin.
        let main = core.mainPlugin(of: plugin)
        switch message {
        case .begin(let call, let description, let earliestBegin, let expiresAt):
            let transfer = NewTransfer(
                description,
                earliestBegin: earliestBegin,
                expiresAt: expiresAt,
                plugin: plugin,
                launch: launch
            )
            let reply = register { [self] answer in
                switch answer {
                case .submitted(let number, _, _): send(.transferBegun(call, number), to: launch)
                case .refused(let refusal): send(.refused(call, refusal), to: launch)
                default: break  // Other calls have these answers.
                }
            }
            return reply.map { [.transferBegun(transfer, reply: $0)] } ?? []
        case .cancel(let call, let number):
            let reply = register { [self] answer in
                if case .cancelled = answer {
                    send(.cancelled(call, isRecorded: true), to: launch)
                } else {
                    send(.cancelled(call, isRecorded: false), to: launch)
                }
            }
            let identifier = TaskIdentifier.transfer(number, of: main)
            return reply.map { [.cancelRequested(identifier, of: main, from: launch, reply: $0)] } ?? []
        case .list(let call, let session):
            list(transfersOf: main, session, core.runningTransfers, for: call, of: launch)
            return []
        case .taken(let number): return [.transferTaken(launch, number)]
        case .ended(let task, let end): return [.transferEnded(launch, task, end)]
        }
    }

    /// Maximum number of transfers that a list reads.
    private static let longestList = 10_000

    private func list(
        transfersOf main: PluginIdentifier,
        _ session: TransferSession?,
        _ running: RunningTransfers,
        for call: CallNumber,
        of launch: LaunchNumber
    ) {
        threads.perform { [self] in
            do throws(LedgerError) {
                let transfers = try ledger.transfers(of: main, in: session, atMost: Self.longestList)
                let listed = transfers.map { $0.listed(among: running) }
                let fitting = listed.fitting()
                if fitting.count < listed.count {
                    log.warning(
                        "a list of transfers is cut: \(fitting.count) of \(listed.count) fit into an answer",
                        metadata: ["plugin": "\(main)"]
                    )
                }
                send(.transfers(call, fitting), to: launch)
            } catch {
                let refusal = SubmissionRefusal(
                    code: .unavailable,
                    subReason: .notRecorded,
                    message: "list: the host could not read the transfers; try again later"
                )
                log.error("transfers not listed: \(error)", metadata: ["launch": "\(launch)"])
                send(.refused(call, refusal), to: launch)
            }
        }
    }

    /// Deletes the files in the staging directory of a plugin that belong to no recorded transfer, or to a taken one.
    func sweepTransfers(of plugin: PluginIdentifier) {
        guard sweeps.begin(plugin) else { return }
        threads.perform { [state, ledger, log, sweeps] in
            repeat {
                do throws(LedgerError) {
                    try state.sweepStaging(of: plugin, by: ledger)
                } catch {
                    log.warning("files of transfers not examined: \(error)", metadata: ["plugin": "\(plugin)"])
                }
            } while sweeps.end(plugin)
        }
    }
}
