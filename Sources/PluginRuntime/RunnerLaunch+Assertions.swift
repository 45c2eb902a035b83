// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import RunnerWire
import Synchronization
import TaskModel

// Background assertions, which keep the launch open after its last completion (statements 81 to 83).
extension RunnerLaunch {
    typealias AssertionHandler = Callback<bgt_assertion_handler>

    /// Begins an assertion and stores its number in `out`.
    ///
    /// - Parameter handler: expiration handler of the assertion; nil for none. When this throws, the handler still
    ///   belongs to the caller.
    func beginAssertion(
        _ name: UnsafePointer<CChar>?,
        _ handler: AssertionHandler?,
        _ out: UnsafeMutablePointer<bgt_assertion>?
    ) throws(CallProblem) {
        out?.pointee = 0
        try permit("begin_assertion")
        guard let out else {
            throw CallProblem(status: BGT_INVALID, message: "out: NULL; pass the address of a number")
        }
        guard let name, let text = ForeignText.read(name, limit: AssertionID.nameLimit) else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "name: NULL, longer than \(AssertionID.nameLimit) bytes, or not UTF-8;"
                    + " name the work in UTF-8 text of at most \(AssertionID.nameLimit) bytes"
            )
        }
        let beginning = state.withLock { state -> AssertionTable<AssertionHandler>.Beginning in
            // The host has already received the last completion and ends the launch.
            if state.hasNothingOpen { return .tooLate }
            let beginning = state.assertions.begin(handler)
            // Sent under the lock: the host receives the beginning before any completion that the assertion outlasts.
            if case .begun(let id) = beginning { channel.send(.assertionBegan(id, name: text)) }
            return beginning
        }
        switch beginning {
        case .begun(let id): out.pointee = id.rawValue
        case .tooMany:
            throw CallProblem(
                status: BGT_UNAVAILABLE,
                message: "\(AssertionID.openLimit) assertions are open; end one before the next begins"
            )
        case .tooLate:
            throw CallProblem(
                status: BGT_ENDED,
                message: "the launch is expiring, or no task and no assertion is open;"
                    + " begin the assertion before the last completion and before an expiration"
            )
        }
    }

    func endAssertion(_ id: AssertionID) -> Int32 {
        if let status = bar("end_assertion") { return status }
        let ending = state.withLock { state -> AssertionTable<AssertionHandler>.Ending? in
            // The end of the launch may have closed the table since.
            if state.hasEnded { return nil }
            let ending = state.assertions.end(id)
            if case .ended = ending { channel.send(.assertionEnded(id)) }
            return ending
        }
        switch ending {
        case .ended(let handler):
            handler?.release()
            return BGT_OK
        case nil: return BGT_ENDED
        case .unknown:
            violation(
                .endedForeignAssertion,
                "assertion \(id) was ended, but is not open in this launch (\(plan.launch));"
                    + " end each assertion once, with the number that begin_assertion stored"
            )
            return BGT_NOT_FOUND
        }
    }

    /// Expires all open assertions. Called by the control thread; never blocks.
    func expireAssertions(_ reason: ExpirationReason) {
        for id in state.withLock({ $0.assertions.expire(reason) }) {
            onThread(named: "bgtask-expire") { self.callAssertionHandler(of: id) }
        }
    }

    private func callAssertionHandler(of id: AssertionID) {
        let call = state.withLock { state in
            let call = state.assertions.beginCall(of: id)
            // Counted under the lock, before the table can be closed: `awaitAssertionCalls` then waits for this call.
            if call != nil { assertionCalls.change { $0 += 1 } }
            return call
        }
        guard let (handler, reason) = call else { return }
        activity.callback(.callback.union(.assertionHandler)) {
            handler.function(handler.context, HostTable.address, id.rawValue, plan.imitation.number(reason.rawValue))
            handler.release()
        }
        assertionCalls.change { $0 -= 1 }
    }

    /// Blocks until no expiration handler of an assertion runs. A handler may end its own assertion, and with it the
    /// launch, while the context of the handler is not released yet.
    func awaitAssertionCalls() {
        assertionCalls.wait { $0 == 0 ? () : nil }
    }
}

extension RunnerLaunch.State {
    /// Whether entry has succeeded, every delivered task is completed and no assertion is open. No assertion can begin
    /// then. The delivery of a later continued task makes it false again.
    fileprivate var hasNothingOpen: Bool { hooks != nil && !tasks.hasUnfinished && assertions.isEmpty }
}
