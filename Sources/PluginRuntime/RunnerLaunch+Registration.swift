// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import RunnerWire
import Synchronization
import TaskModel

extension RunnerLaunch {
    /// Refuses a call made inside a visitor of `pending`, or after the end of the launch.
    ///
    /// - Returns: the status to return; nil when the call may proceed.
    func bar(_ call: StaticString) -> Int32? {
        if ThreadRole.current.contains(.pendingVisitor) {
            violation(
                .placesOfCalls,
                "\(call) was called in a visitor of pending, where only log is allowed; call it after pending returns"
            )
            return BGT_WRONG_PHASE
        }
        return state.withLock { $0.hasEnded } ? BGT_ENDED : nil
    }

    func register(_ name: UnsafePointer<CChar>?, _ handler: Handler?) -> Int32 {
        if let status = bar("register_handler") { return status }
        // The longest identifier plus the suffix of a pattern.
        let limit = ReverseDNSName.maximumLength + 2
        guard let handler, let name, let text = ForeignText.read(name, limit: limit) else { return BGT_INVALID }
        let verdict = state.withLock { state -> RegistrationTable<Handler>.Verdict? in
            // The launch may have ended since `bar`: no violation.
            if state.hasEnded { return nil }
            let verdict = state.registrations.register(text, handler)
            // Sent under the lock: the host receives the registration before any submission that needs it.
            // Registrations in entry are sent together when it returns.
            if case .registered(let name, isLate: true) = verdict { channel.send(.registered(name)) }
            return verdict
        }
        switch verdict {
        case nil:
            return BGT_ENDED
        case .registered:
            return BGT_OK
        case .malformed:
            return BGT_INVALID
        case .notPermitted:
            violation(
                .registration,
                "\"\(text)\" was registered, but the manifest does not permit it;"
                    + " add it to permitted-identifiers, or remove the registration"
            )
            return BGT_NOT_PERMITTED
        case .wrongRole:
            violation(
                .noHandlersOfExtensions,
                "an extension registered \"\(text)\"; only its main plugin may register handlers; register it there"
            )
            return BGT_WRONG_ROLE
        case .wrongPhase:
            violation(
                .registration,
                "\"\(text)\" was registered after entry; register it during entry;"
                    + " only an identifier that a pattern permits may be registered later"
            )
            return BGT_WRONG_PHASE
        case .duplicate:
            violation(
                .registration,
                "\"\(text)\" was registered twice; the first handler stays; remove the second registration"
            )
            return BGT_DUPLICATE
        }
    }
}
