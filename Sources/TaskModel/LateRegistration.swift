// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The rule for registrations after entry: handlers of continued tasks may be registered at any time, all other
/// handlers during entry alone (statements 14 and 15, BGT-ABI-10).
///
/// The manifest does not name the kind of an identifier. A pattern, and an identifier that only a pattern permits, are
/// for continued tasks. An identifier that the manifest lists by name counts as one for continued tasks only in a
/// launch that may submit continued requests and has no task of another kind for the identifier.
package struct LateRegistration: Sendable {
    private let isInForeground: Bool
    private let otherKinds: Set<TaskIdentifier>

    /// Creates the rule of a launch.
    ///
    /// - Parameters:
    ///   - isInForeground: whether the launch is in the foreground, where alone continued requests are accepted (C8).
    ///   - otherKinds: identifiers of the launch's tasks that are not continued.
    package init(inForeground isInForeground: Bool, otherKinds: Set<TaskIdentifier> = []) {
        self.isInForeground = isInForeground
        self.otherKinds = otherKinds
    }

    /// Whether a handler may be registered after entry.
    ///
    /// - Parameter permitted: the permitted identifiers of the manifest.
    package func allows(_ registered: PermittedIdentifier, of permitted: [PermittedIdentifier]) -> Bool {
        guard permitted.permits(registered) else { return false }
        guard case .exact(let name) = registered, permitted.contains(registered) else { return true }
        return isInForeground && !otherKinds.contains(name)
    }
}
