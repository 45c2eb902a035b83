// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import RunnerWire
import Synchronization
import TaskModel

extension RunnerLaunch {
    private typealias Problem = ForeignSubmission.Problem

    func submit(_ request: UnsafePointer<bgt_request>?, _ refusal: UnsafeMutablePointer<bgt_refusal>?) -> Int32 {
        if let refusal, !ForeignStruct.canFill(refusal, minimum: MemoryLayout<bgt_refusal>.size) { return BGT_INVALID }
        do {
            let number = try submitted(request)
            fill(refusal, submission: UInt64(bitPattern: number.rawValue))
            return BGT_OK
        } catch {
            fill(refusal, subReason: error.subReason, text: error.message)
            return error.status
        }
    }

    func cancel(_ identifier: UnsafePointer<CChar>?) -> Int32 {
        do {
            if let status = barWaiting("cancel") { return status }
            let identifier = try ForeignSubmission.identifier(identifier)
            return cancelStatus(calls.call { channel.send(.cancel($0, identifier)) })
        } catch {
            return error.status
        }
    }

    func cancelAll() -> Int32 {
        if let status = barWaiting("cancel_all") { return status }
        return cancelStatus(calls.call { channel.send(.cancelAll($0)) })
    }

    func visitPending(_ visitor: bgt_pending_visitor?, _ context: UnsafeMutableRawPointer?) -> Int32 {
        if let status = bar("pending") { return status }
        guard let visitor else { return BGT_INVALID }
        switch calls.call({ channel.send(.pending($0)) }) {
        case .pending(let summaries):
            for summary in summaries.sorted(by: { $0.number < $1.number }) {
                let status = visit(summary, visitor, context)
                if status != BGT_OK { return status }
            }
            return BGT_OK
        case .refused(let refusal): return refusal.code.rawValue
        case .submitted, .cancelled: return BGT_UNAVAILABLE
        case nil: return BGT_ENDED
        }
    }

    private func submitted(_ address: UnsafePointer<bgt_request>?) throws(Problem) -> SubmissionNumber {
        if let status = barWaiting("submit") {
            if status == BGT_ENDED { throw Self.ended }
            throw Problem(
                status: status,
                message: "submit: not allowed in an expiration handler or a visitor of pending; submit outside of both"
            )
        }
        let submission = try ForeignSubmission(address)
        try admit(submission.request.identifier)
        let answer = calls.call { channel.send(.submit($0, submission.request, payload: submission.payload)) }
        switch answer {
        case .submitted(let number): return number
        case .refused(let refusal):
            throw Problem(
                status: refusal.code.rawValue,
                subReason: refusal.subReason.rawValue,
                message: refusal.message
            )
        case .cancelled, .pending:
            throw Problem(
                status: BGT_UNAVAILABLE,
                message: "submit: the host sent the answer of another call; report this defect of bgtaskd"
            )
        case nil: throw Self.ended
        }
    }

    private static let ended = Problem(
        status: BGT_ENDED,
        message: "submit: the launch has ended, and the request was not recorded;"
            + " submit before the last completion, or hold an assertion until the submission has returned"
    )

    /// Checks that the launch may submit the identifier. Throws when the launch has ended, or when no handler of this
    /// process takes the identifier. Both are read under one lock, because the end of the launch drops the
    /// registrations.
    private func admit(_ identifier: TaskIdentifier) throws(Problem) {
        let (hasEnded, lacksHandler) = state.withLock { state in
            (state.hasEnded, state.registrations.lacksHandler(for: identifier))
        }
        if hasEnded { throw Self.ended }
        if !lacksHandler { return }
        let message =
            "\"\(identifier)\" was submitted without a handler in this process;"
            + " register a handler of it, or of a permitted pattern that covers it, before the submission"
        violation(.registration, message)
        throw Problem(status: BGT_UNREGISTERED, message: message)
    }

    /// Refuses a call that waits for a commit in the cases in which `bar` refuses any call, and also inside an
    /// expiration handler.
    ///
    /// - Returns: the status to return; nil when the call may proceed.
    private func barWaiting(_ call: StaticString) -> Int32? {
        if let status = bar(call) { return status }
        guard ThreadRole.current.contains(.expirationHandler) else { return nil }
        violation(
            .placesOfCalls,
            "\(call) was called in an expiration handler, where no call may wait for the disk;"
                + " call it outside of expiration handlers"
        )
        return BGT_WRONG_PHASE
    }

    private func cancelStatus(_ answer: CallTable.Answer?) -> Int32 {
        switch answer {
        case .cancelled(let isRecorded): isRecorded ? BGT_OK : BGT_UNAVAILABLE
        case .refused(let refusal): refusal.code.rawValue
        case .submitted, .pending: BGT_UNAVAILABLE
        case nil: BGT_ENDED
        }
    }

    private func visit(
        _ summary: PendingSummary,
        _ visitor: bgt_pending_visitor,
        _ context: UnsafeMutableRawPointer?
    ) -> Int32 {
        let request = summary.request
        return request.identifier.text.withCString { identifier in
            var pending = bgt_pending(
                size: UInt32(MemoryLayout<bgt_pending>.size),
                kind: request.kind.rawValue,
                flags: RequestFlags.word(request),
                reserved: 0,
                identifier: identifier,
                earliest_begin_ns: request.earliestBegin?.nanoseconds ?? 0,
                submission: UInt64(bitPattern: summary.number.rawValue)
            )
            return ThreadRole.with(.pendingVisitor) { visitor(context, &pending) }
        }
    }

    private func fill(
        _ address: UnsafeMutablePointer<bgt_refusal>?,
        subReason: UInt32 = BGT_REASON_NONE,
        submission: UInt64 = 0,
        text: String = ""
    ) {
        guard let address else { return }
        var refusal = bgt_refusal()
        refusal.sub_reason = subReason
        refusal.submission = submission
        let text = ForeignText.prefix(of: text, limit: Int(BGTASK_REFUSAL_TEXT_MAX) - 1)
        withUnsafeMutableBytes(of: &refusal.text) { $0.copyBytes(from: text.utf8) }
        _ = ForeignStruct.fill(address, with: refusal)
    }
}
