// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation

extension Host {
    /// Concurrent queue for the blocking host calls of the asynchronous functions.
    static let waitingQueue = DispatchQueue(label: "BackgroundTasks", attributes: .concurrent)

    /// Result of a submission: the status of the call, and the refusal that the host filled in.
    struct Answer {
        let status: Status
        let subReason: UInt32
        let submission: UInt64
        let text: String
    }

    func submit(_ request: BGTaskRequest) -> Answer {
        var refusal = bgt_refusal()
        let status = request.withForeignRequest { bgt_submit(table, $0, &refusal) }
        let text = withUnsafeBytes(of: &refusal.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return Answer(
            status: Status(rawValue: status),
            subReason: refusal.sub_reason,
            submission: refusal.submission,
            text: text
        )
    }

    func cancel(_ identifier: String) -> Status { Status(rawValue: bgt_cancel(table, identifier)) }

    func cancelAll() -> Status { Status(rawValue: bgt_cancel_all(table)) }

    func pending() -> (Status, [PendingRequest]) {
        var found: [PendingRequest] = []
        let status = withUnsafeMutablePointer(to: &found) { found in
            bgt_visit_pending(
                table,
                { context, _, request in
                    // The address of `found`, which outlives the visit.
                    context?.assumingMemoryBound(to: [PendingRequest].self).pointee
                        .append(PendingRequest(request.pointee))
                    return BGT_OK
                },
                found
            )
        }
        return (Status(rawValue: status), found)
    }
}
