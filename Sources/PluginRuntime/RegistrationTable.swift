// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Which handlers this process has, and who may still add one (BGT-ABI-10). Calls none of them.
///
/// What leaves this table to be released leaves it once: a handler in use is given back by the last `endCall`.
package struct RegistrationTable<Handler> {
    package enum Phase: Hashable, Sendable {
        case entry
        case running
        case ended
    }

    package enum Verdict: Hashable, Sendable {
        /// - Parameter isLate: after entry.
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
        var calls = 0
    }

    /// What a call holds until `endCall`: a better registration may come while it runs.
    package struct Call {
        package let handler: Handler
        fileprivate let name: PermittedIdentifier
    }

    private let role: PluginRole
    private let permitted: [PermittedIdentifier]
    private var phase = Phase.entry
    private var registrations: [Registration] = []

    package init(role: PluginRole, permitted: [PermittedIdentifier]) {
        self.role = role
        self.permitted = permitted
    }

    package mutating func register(_ text: String, _ handler: Handler) -> Verdict {
        guard let name = PermittedIdentifier(text) else { return .malformed }
        guard role == .main else { return .wrongRole }
        switch phase {
        case .entry: break
        case .running where isLate(name): break
        case .running, .ended: return .wrongPhase
        }
        guard permits(name) else { return .notPermitted }
        guard !registrations.contains(where: { $0.name == name }) else { return .duplicate }
        registrations.append(Registration(name: name, handler: handler))
        return .registered(name, isLate: phase == .running)
    }

    /// Entry has returned. What it registered stands or falls with it.
    ///
    /// - Returns: the handlers that were dropped.
    package mutating func closeEntry(succeeded: Bool) -> [Handler] {
        // The end may have come first.
        if phase == .entry { phase = .running }
        if succeeded { return [] }
        defer { registrations = [] }
        return registrations.map(\.handler)
    }

    package func isRegistered(_ identifier: TaskIdentifier) -> Bool { index(for: identifier) != nil }

    /// Whether a submission of it is a programming error (statement 18). What is not permitted is the host's to refuse.
    package func lacksHandler(for identifier: TaskIdentifier) -> Bool {
        role == .main && isPermitted(identifier) && !isRegistered(identifier)
    }

    private func isPermitted(_ identifier: TaskIdentifier) -> Bool {
        permitted.contains { $0.covers(identifier) }
    }

    /// Names and patterns, in the order of their registration.
    package var names: [PermittedIdentifier] { registrations.map(\.name) }

    /// Nil once the launch is over: no new call begins.
    package mutating func beginCall(for identifier: TaskIdentifier) -> Call? {
        guard phase == .running, let index = index(for: identifier) else { return nil }
        registrations[index].calls += 1
        return Call(handler: registrations[index].handler, name: registrations[index].name)
    }

    /// - Returns: the handler, if this was the last call that kept it from being released.
    package mutating func endCall(_ call: Call) -> Handler? {
        guard let index = registrations.firstIndex(where: { $0.name == call.name }) else { return nil }
        registrations[index].calls -= 1
        guard phase == .ended, registrations[index].calls == 0 else { return nil }
        return registrations.remove(at: index).handler
    }

    /// The launch is over.
    ///
    /// - Returns: the handlers that nothing uses any more.
    package mutating func end() -> [Handler] {
        phase = .ended
        let idle = registrations.filter { $0.calls == 0 }
        registrations.removeAll { $0.calls == 0 }
        return idle.map(\.handler)
    }

    // A name goes before any pattern, a longer pattern before a shorter one.
    private func index(for identifier: TaskIdentifier) -> Int? {
        registrations.indices.filter { registrations[$0].name.covers(identifier) }
            .max { registrations[$0].name.precision < registrations[$1].name.precision }
    }

    private func permits(_ name: PermittedIdentifier) -> Bool {
        switch name {
        case .exact(let identifier): isPermitted(identifier)
        case .pattern: permitted.contains(name)
        }
    }

    // What a pattern alone permits is composed for a continued task, which may register at any time (statement 15).
    private func isLate(_ name: PermittedIdentifier) -> Bool {
        switch name {
        case .exact: permits(name) && !permitted.contains(name)
        case .pattern: permits(name)
        }
    }
}

extension RegistrationTable.Call: Sendable where Handler: Sendable {}

extension PermittedIdentifier {
    /// Of two that cover one identifier, the more precise one has more.
    fileprivate var precision: Int {
        switch self {
        case .exact: .max
        case .pattern(let prefix): prefix.text.utf8.count
        }
    }
}
