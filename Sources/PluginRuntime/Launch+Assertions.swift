// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import RunnerWire
import Synchronization
import TaskModel

// "Do not end me yet": what keeps the launch open after its last completion (statements 81 to 83).
extension Launch {
    typealias AssertionHandler = Callback<bgt_assertion_handler>

    /// - Parameter handler: nil when nobody wants to be told.
    /// - Returns: the status; anything but `BGT_OK` leaves the handler to its giver.
    func beginAssertion(
        _ name: UnsafePointer<CChar>?,
        _ handler: AssertionHandler?,
        _ out: UnsafeMutablePointer<bgt_assertion>?
    ) -> Int32 {
        out?.pointee = 0
        if let status = bar("begin_assertion") { return status }
        guard let out, let name, let text = ForeignText.read(name, limit: AssertionID.nameLimit) else {
            return BGT_INVALID
        }
        let beginning = state.withLock { state -> AssertionTable<AssertionHandler>.Beginning in
            // The host has heard the last completion before it would hear of this, and ends the launch.
            if state.hasNothingOpen { return .tooLate }
            let beginning = state.assertions.begin(handler)
            // Under the lock: the host hears of it before any completion that it is to outlast.
            if case .begun(let id) = beginning { channel.send(.assertionBegan(id, name: text)) }
            return beginning
        }
        switch beginning {
        case .begun(let id):
            out.pointee = id.rawValue
            return BGT_OK
        case .tooMany: return BGT_UNAVAILABLE
        case .tooLate: return BGT_ENDED
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
                "BGT-ABI-08",
                "assertion \(id) was ended, which is not open in this launch (\(plan.launch));"
                    + " end each one once, with the number that its begin returned"
            )
            return BGT_NOT_FOUND
        }
    }

    /// Never blocks: called by the control thread.
    func expireAssertions(_ reason: ExpirationReason) {
        for id in state.withLock({ $0.assertions.expire(reason) }) {
            onThread(named: "bgtask-expire") { self.callAssertionHandler(of: id) }
        }
    }

    private func callAssertionHandler(of id: AssertionID) {
        let call = state.withLock { state in
            let call = state.assertions.beginCall(of: id)
            // Under the lock: whoever closes the table afterwards knows of it.
            if call != nil { assertionCalls.change { $0 += 1 } }
            return call
        }
        guard let (handler, reason) = call else { return }
        activity.callback(.expirationHandler) {
            handler.function(handler.context, HostTable.address, id.rawValue, reason.rawValue)
            handler.release()
        }
        assertionCalls.change { $0 -= 1 }
    }

    /// A handler that has ended its own assertion may have ended the launch: its context is still to be released.
    func awaitAssertionCalls() {
        assertionCalls.wait { $0 == 0 ? () : nil }
    }
}

extension Launch.State {
    /// Entry has returned, every task is completed and no assertion open. It stays so.
    fileprivate var hasNothingOpen: Bool { hooks != nil && !tasks.hasUnfinished && assertions.isEmpty }
}
