// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import RunnerWire
import Synchronization
import TaskModel

extension RunnerLaunch {
    func submit(_ request: UnsafePointer<bgt_request>?, _ refusal: UnsafeMutablePointer<bgt_refusal>?) -> Int32 {
        answering(
            refusal,
            "submit",
            numbered: { () throws(CallProblem) -> UInt64 in
                UInt64(bitPattern: try submitted(request).rawValue)
            }
        )
    }

    func cancel(_ identifier: UnsafePointer<CChar>?) throws(CallProblem) {
        try permit("cancel")
        let identifier = try ForeignSubmission.identifier(identifier)
        try cancelled(calls.call { channel.send(.cancel($0, identifier)) }, "cancel")
    }

    func cancelAll() throws(CallProblem) {
        try permit("cancel_all")
        try cancelled(calls.call { channel.send(.cancelAll($0)) }, "cancel_all")
    }

    /// Visits the pending requests until the visitor returns a status other than `BGT_OK`, which is then the result.
    func visitPending(
        _ visitor: bgt_pending_visitor?,
        _ context: UnsafeMutableRawPointer?,
        _ refusal: UnsafeMutablePointer<bgt_refusal>?
    ) -> Int32 {
        var last = BGT_OK
        let status = answering(refusal, "pending") { () throws(CallProblem) -> Void in
            last = try visit(visitor, context)
        }
        return status == BGT_OK ? last : status
    }

    private func visit(
        _ visitor: bgt_pending_visitor?,
        _ context: UnsafeMutableRawPointer?
    ) throws(CallProblem) -> Int32 {
        try permit("pending")
        guard let visitor else {
            throw CallProblem(status: BGT_INVALID, message: "visitor: NULL; pass a function")
        }
        for request in try pending() {
            let status = visit(request, visitor, context)
            if status != BGT_OK { return status }
        }
        return BGT_OK
    }

    /// The pending requests, oldest submission first.
    private func pending() throws(CallProblem) -> [ListedRequest] {
        switch calls.call(isList: true, { channel.send(.pending($0)) }) {
        case .pending(let requests): return requests.sorted { $0.number < $1.number }
        case .refused(let refusal): throw CallProblem(refusal)
        case .submitted, .cancelled, .cursorStored, .pushToken, .transferBegun, .transfers:
            throw Self.foreignAnswer(to: "pending")
        case nil: throw Self.ended("pending")
        }
    }

    private func submitted(_ address: UnsafePointer<bgt_request>?) throws(CallProblem) -> SubmissionNumber {
        try permit("submit")
        let submission = try ForeignSubmission(address)
        try admit(submission.request)
        switch calls.call({ channel.send(.submit($0, submission.request, payload: submission.payload)) }) {
        case .submitted(let number): return number
        case .refused(let refusal): throw CallProblem(refusal)
        case .cancelled, .pending, .cursorStored, .pushToken, .transferBegun, .transfers:
            throw Self.foreignAnswer(to: "submit")
        case nil: throw Self.ended("submit")
        }
    }

    func cancelled(_ answer: CallTable.Answer?, _ call: StaticString) throws(CallProblem) {
        switch answer {
        case .cancelled(isRecorded: true): return
        case .cancelled(isRecorded: false):
            throw CallProblem(
                status: BGT_UNAVAILABLE,
                subReason: BGT_REASON_NOT_RECORDED,
                message: "\(call): the host could not record the cancellation, and cancelled nothing;"
                    + " cancel again later"
            )
        case .refused(let refusal): throw CallProblem(refusal)
        case .submitted, .pending, .cursorStored, .pushToken, .transferBegun, .transfers:
            throw Self.foreignAnswer(to: call)
        case nil: throw Self.ended(call)
        }
    }

    static func foreignAnswer(to call: StaticString) -> CallProblem {
        CallProblem(
            status: BGT_UNAVAILABLE,
            message: "\(call): the host sent the answer of another call; report this defect of bgtaskd"
        )
    }

    /// Checks that the launch may submit the request. Throws when the launch has ended, and when a permitted identifier
    /// of a main plugin has no handler for the kind in this process. All is read under one lock, because the end of the
    /// launch drops the registrations.
    private func admit(_ request: TaskRequest) throws(CallProblem) {
        let identifier = request.identifier
        let (hasEnded, lacksHandler, isForContinued) = state.withLock { state in
            let registrations = state.registrations
            return (
                state.hasEnded, registrations.lacksHandler(for: identifier),
                request.kind != .continued && registrations.servesContinuedAlone(identifier)
            )
        }
        if hasEnded { throw Self.ended("submit") }
        guard lacksHandler || isForContinued else { return }
        let message =
            isForContinued
            ? "\"\(identifier)\" was submitted as \(request.kind.name), but its handler was registered after entry, for"
                + " continued tasks alone; register it during entry"
            : "\"\(identifier)\" was submitted without a handler in this process;"
                + " register a handler of it, or of a permitted pattern that covers it, before the submission"
        violation(.submittedUnregistered, message)
        throw CallProblem(status: BGT_UNREGISTERED, message: message)
    }

    private func visit(
        _ listed: ListedRequest,
        _ visitor: bgt_pending_visitor,
        _ context: UnsafeMutableRawPointer?
    ) -> Int32 {
        let request = listed.request
        let terms = request.continued
        let texts = RequestMemory(request)
        defer { texts.free() }
        return listed.payload.withUnsafeBufferPointer { payload in
            let pending = bgt_pending(
                size: plan.imitation.size(of: bgt_pending.self),
                kind: request.kind.rawValue,
                flags: RequestFlags.word(request),
                strategy: terms?.strategy.rawValue ?? 0,
                identifier: texts.identifier,
                earliest_begin_ns: request.earliestBegin?.nanoseconds ?? 0,
                payload: payload.isEmpty ? nil : payload.baseAddress,
                payload_length: UInt64(payload.count),
                title: texts.title,
                subtitle: texts.subtitle,
                resources: terms?.resources.rawValue ?? 0,
                submission: UInt64(bitPattern: listed.number.rawValue),
                expires_at_ns: request.expiresAt?.nanoseconds ?? 0
            )
            return plan.imitation.withCopy(of: pending) { copy in
                ThreadRole.with(.pendingVisitor) { visitor(context, HostTable.address, copy) }
            }
        }
    }
}

extension CallProblem {
    init(_ refusal: SubmissionRefusal) {
        self.init(
            status: refusal.code.rawValue,
            subReason: refusal.subReason.rawValue,
            message: refusal.message
        )
    }
}
