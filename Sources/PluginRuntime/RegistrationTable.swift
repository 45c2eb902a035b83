// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The task handlers of this process, and the rules for adding one (BGT-ABI-10). The table calls no handler.
///
/// Every handler leaves this table for release once: the last `endCall` returns a handler that was in use.
package struct RegistrationTable<Handler> {
    package enum Phase: Hashable, Sendable {
        case entry
        case running
        case ended
    }

    package enum Verdict: Hashable, Sendable {
        /// The handler was added.
        ///
        /// - Parameter isLate: whether the registration was made after entry.
        case registered(PermittedIdentifier, isLate: Bool)
        case malformed
        case wrongRole
        case wrongPhase
        case notPermitted
        case duplicate
    }

    private struct Registration {
        let name: PermittedIdentifier
        let handler: Handler
        /// Whether the registration was made after entry.
        let isLate: Bool
        var calls = 0
    }

    /// A handler in use, from `beginCall` until `endCall`. During the call a more precise handler may be registered for
    /// the same identifier.
    package struct Call {
        package let handler: Handler
        fileprivate let name: PermittedIdentifier
    }

    private let role: PluginRole
    private let permitted: [PermittedIdentifier]
    private let late: LateRegistration
    private var phase = Phase.entry
    private var registrations: [Registration] = []

    package init(
        role: PluginRole,
        permitted: [PermittedIdentifier],
        late: LateRegistration = LateRegistration(inForeground: false)
    ) {
        self.role = role
        self.permitted = permitted
        self.late = late
    }

    package mutating func register(_ text: String, _ handler: Handler) -> Verdict {
        guard let name = PermittedIdentifier(text) else { return .malformed }
        guard role == .main else { return .wrongRole }
        switch phase {
        case .entry: break
        case .running where late.allows(name, of: permitted): break
        case .running, .ended: return .wrongPhase
        }
        guard permitted.permits(name) else { return .notPermitted }
        guard !registrations.contains(where: { $0.name == name }) else { return .duplicate }
        let isLate = phase == .running
        registrations.append(Registration(name: name, handler: handler, isLate: isLate))
        return .registered(name, isLate: isLate)
    }

    /// Ends the entry phase. When entry failed, the registrations are dropped.
    ///
    /// - Returns: the dropped handlers.
    package mutating func closeEntry(succeeded: Bool) -> [Handler] {
        // The launch may already have ended.
        if phase == .entry { phase = .running }
        if succeeded { return [] }
        defer { registrations = [] }
        return registrations.map(\.handler)
    }

    package func isRegistered(_ identifier: TaskIdentifier) -> Bool { index(for: identifier) != nil }

    /// Whether a submission of the identifier is a programming error, because a main plugin's identifier is permitted
    /// but has no handler (statement 18). An identifier that is not permitted is refused by the host instead.
    package func lacksHandler(for identifier: TaskIdentifier) -> Bool {
        role == .main && permitted.permits(identifier) && !isRegistered(identifier)
    }

    /// Whether the handler of the identifier was registered after entry although the manifest lists the identifier by
    /// name. The submission of a request that is not continued is then a programming error (statement 14).
    package func servesContinuedAlone(_ identifier: TaskIdentifier) -> Bool {
        guard let index = index(for: identifier) else { return false }
        return registrations[index].isLate && permitted.contains(.exact(identifier))
    }

    /// Registered names and patterns, in the order of registration.
    package var names: [PermittedIdentifier] { registrations.map(\.name) }

    /// Begins a call of the most precise handler for the identifier. Nil without a handler, before entry has returned,
    /// and after the end of the launch.
    package mutating func beginCall(for identifier: TaskIdentifier) -> Call? {
        guard phase == .running, let index = index(for: identifier) else { return nil }
        registrations[index].calls += 1
        return Call(handler: registrations[index].handler, name: registrations[index].name)
    }

    /// Ends a call.
    ///
    /// - Returns: the handler, for release, if the launch is over and this was the handler's last call; nil otherwise.
    package mutating func endCall(_ call: Call) -> Handler? {
        guard let index = registrations.firstIndex(where: { $0.name == call.name }) else { return nil }
        registrations[index].calls -= 1
        guard phase == .ended, registrations[index].calls == 0 else { return nil }
        return registrations.remove(at: index).handler
    }

    /// Closes the table at the end of the launch.
    ///
    /// - Returns: the handlers that no call uses, for release.
    package mutating func end() -> [Handler] {
        phase = .ended
        let idle = registrations.filter { $0.calls == 0 }
        registrations.removeAll { $0.calls == 0 }
        return idle.map(\.handler)
    }

    // An exact name takes precedence over a pattern, a longer pattern over a shorter one.
    private func index(for identifier: TaskIdentifier) -> Int? {
        registrations.indices.filter { registrations[$0].name.covers(identifier) }
            .max { registrations[$0].name.precision < registrations[$1].name.precision }
    }
}

extension RegistrationTable.Call: Sendable where Handler: Sendable {}

extension PermittedIdentifier {
    /// Rank of a registration among all registrations that cover the same identifier; the registration with the highest
    /// rank takes precedence.
    fileprivate var precision: Int {
        switch self {
        case .exact: .max
        case .pattern(let prefix): prefix.text.utf8.count
        }
    }
}
