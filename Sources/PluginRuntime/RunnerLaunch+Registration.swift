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
                .calledInVisitor,
                "\(call) was called in a visitor of pending, where only log, remaining, is_expiring, name and query are"
                    + " allowed; call it after pending returns"
            )
            return BGT_WRONG_PHASE
        }
        guard state.withLock({ $0.hasEnded }) else { return nil }
        if plan.imitation.contains(.strict) {
            violation(
                .calledAfterStop,
                "\(call) was called after `stop` had returned, and had no effect; end the plugin's threads in `stop`"
            )
        }
        return BGT_ENDED
    }

    /// Throws for a call made inside a visitor of `pending`, or after the end of the launch.
    func permit(_ call: StaticString) throws(CallProblem) {
        guard let status = bar(call) else { return }
        if status == BGT_ENDED { throw Self.ended(call) }
        throw CallProblem(
            status: status,
            message: "\(call): not allowed in a visitor of pending; call it after pending has returned"
        )
    }

    static func ended(_ call: StaticString) -> CallProblem {
        CallProblem(
            status: BGT_ENDED,
            message: "\(call): the launch has ended, and the call was not recorded;"
                + " call it before the last completion, or hold an assertion until it has returned"
        )
    }

    func register(_ name: UnsafePointer<CChar>?, _ handler: Handler?) throws(CallProblem) {
        try permit("register_handler")
        // The longest identifier plus the suffix of a pattern.
        let limit = ReverseDNSName.maximumLength + 2
        guard let handler else { throw CallProblem(status: BGT_INVALID, message: "handler: NULL; pass a function") }
        guard let name, let text = ForeignText.read(name, limit: limit) else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "identifier: NULL, longer than \(limit) bytes, or not UTF-8;"
                    + " write an identifier that the manifest permits"
            )
        }
        let verdict = state.withLock { state -> RegistrationTable<Handler>.Verdict? in
            // The launch may have ended since `bar`: no violation.
            if state.hasEnded { return nil }
            let verdict = state.registrations.register(text, handler)
            // Sent under the lock: the host receives the registration before any submission that needs it.
            // Registrations in entry are sent together when it returns.
            if case .registered(let name, isLate: true) = verdict { channel.send(.registered(name)) }
            return verdict
        }
        guard let verdict else { throw Self.ended("register_handler") }
        guard let problem = Self.problem(of: verdict, registering: text) else { return }
        if let kind = problem.violation { violation(kind, problem.call.message) }
        throw problem.call
    }

    /// The refusal of a registration, with its violation, which is nil for a malformed identifier; nil when the handler
    /// is registered.
    private static func problem(
        of verdict: RegistrationTable<Handler>.Verdict,
        registering text: String
    ) -> (call: CallProblem, violation: ViolationKind?)? {
        switch verdict {
        case .registered: return nil
        case .malformed:
            let flaw = TaskIdentifier.flaw(in: text) ?? .unknown
            return (CallProblem(status: BGT_INVALID, message: "identifier \"\(text)\" \(flaw.text)"), nil)
        case .notPermitted:
            let message =
                "\"\(text)\" was registered, but the manifest does not permit it;"
                + " add it to permitted-identifiers, or remove the registration"
            return (CallProblem(status: BGT_NOT_PERMITTED, message: message), .registeredUnpermitted)
        case .wrongRole:
            let message =
                "an extension registered \"\(text)\"; only its main plugin may register handlers; register it there"
            return (CallProblem(status: BGT_WRONG_ROLE, message: message), .registeredByExtension)
        case .wrongPhase:
            let message =
                "\"\(text)\" was registered after entry; register it during entry;"
                + " only handlers of continued tasks may be registered later, for an identifier that the manifest lists"
                + " by name only in a launch that a user started"
            return (CallProblem(status: BGT_WRONG_PHASE, message: message), .registeredLate)
        case .duplicate:
            let message =
                "\"\(text)\" was registered twice; the first handler stays; remove the second registration"
            return (CallProblem(status: BGT_DUPLICATE, message: message), .registeredTwice)
        }
    }
}

extension LateRegistration {
    /// Creates the rule for late registrations in the launch with this plan.
    init(_ plan: RunnerPlan) {
        let others = plan.tasks.filter { $0.kind != .continued }
        // A trigger starts only launches of extensions, which register no handlers.
        self.init(
            inForeground: plan.cause == .user || plan.tasks.contains { $0.kind == .continued },
            otherKinds: Set(others.compactMap { TaskIdentifier($0.identifier) })
        )
    }
}
