// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Logging
import RunnerWire
import TaskLedger
import TaskModel

extension DecisionLoop {
    /// Maximum size of the payloads in one answer, in bytes; with everything else, the answer fits into a frame.
    private static let longestList = HostMessage.frameLimit / 2

    /// Answers a plugin's call for its pending requests: one committed state of the ledger, read on a thread for disk
    /// access.
    ///
    /// - Parameter main: the main plugin whose requests are listed.
    func list(requestsOf main: PluginIdentifier, for call: CallNumber, of launch: LaunchNumber) {
        threads.perform { [self] in
            do throws(LedgerError) {
                send(Self.answer(to: call, try ledger.pendingRequests(of: main)), to: launch)
            } catch {
                let refusal = SubmissionRefusal(
                    code: .unavailable,
                    subReason: .notRecorded,
                    message: "pending: the host could not read the pending requests; try again later"
                )
                log.error("pending requests not listed: \(error)", metadata: ["launch": "\(launch)"])
                send(.refused(call, refusal), to: launch)
            }
        }
    }

    /// The answer to a plugin's call for its pending requests. A waiting push, which the plugin did not submit, and its
    /// transfers, which it lists as such, are not among them.
    private static func answer(
        to call: CallNumber,
        _ all: [(request: PendingRequest, payload: [UInt8])]
    ) -> HostMessage {
        let pending = all.filter { !$0.request.request.identifier.isOfHost }
        let size = pending.reduce(0) { $0 + $1.payload.count }
        guard size <= longestList else {
            let refusal = SubmissionRefusal(
                code: .unavailable,
                subReason: .notRecorded,
                message: "pending: the payloads of the pending requests have \(size) bytes together, and an answer has"
                    + " at most \(longestList); submit smaller payloads, or cancel requests"
            )
            return .refused(call, refusal)
        }
        let listed = pending.map { request, payload in
            ListedRequest(request: request.request, number: request.number, payload: payload)
        }
        return .pending(call, listed)
    }
}
