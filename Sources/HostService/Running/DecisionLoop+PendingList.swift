// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Logging
import RunnerWire
import TaskLedger
import TaskModel

extension DecisionLoop {
    /// Maximum size of the payloads in one answer, in bytes; with everything else, the answer fits into a frame.
    private static let longestList = HostMessage.frameLimit / 2

    /// Answers a plugin's call for its pending requests. The payloads are read on a thread for disk access. A request that
    /// has started or was replaced by then is left out, so that no request is listed with the payload of another one.
    func list(_ pending: [PendingRequest], for call: CallNumber, of launch: LaunchNumber) {
        threads.perform { [self] in
            do throws(LedgerError) {
                let payloads = try ledger.payloads(ofPending: pending.map(\.number))
                send(Self.answer(to: call, pending, payloads), to: launch)
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

    /// The answer to a plugin's call for its pending requests.
    private static func answer(
        to call: CallNumber,
        _ pending: [PendingRequest],
        _ payloads: [SubmissionNumber: [UInt8]]
    ) -> HostMessage {
        let size = payloads.values.reduce(0) { $0 + $1.count }
        guard size <= longestList else {
            let refusal = SubmissionRefusal(
                code: .unavailable,
                subReason: .notRecorded,
                message: "pending: the payloads have \(size) bytes, and an answer holds \(longestList);"
                    + " submit smaller payloads"
            )
            return .refused(call, refusal)
        }
        let listed = pending.compactMap { request in
            payloads[request.number].map {
                ListedRequest(request: request.request, number: request.number, payload: $0)
            }
        }
        return .pending(call, listed)
    }
}
