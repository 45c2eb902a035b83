// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What a submitter asks for. Not yet accepted by anybody.
package struct TaskRequest: Hashable, Sendable {
    /// The most that a request or an event may carry, in bytes.
    package static let maximumPayload = 65_536

    package let identifier: TaskIdentifier
    package let kind: TaskKind
    /// Nil and a time in the past mean the same: no added delay (statements 28 and 30).
    package let earliestBegin: WallTime?
    package let requiresNetwork: Bool
    package let requiresExternalPower: Bool

    package init(
        identifier: TaskIdentifier,
        kind: TaskKind,
        earliestBegin: WallTime? = nil,
        requiresNetwork: Bool = false,
        requiresExternalPower: Bool = false
    ) {
        self.identifier = identifier
        self.kind = kind
        self.earliestBegin = earliestBegin
        self.requiresNetwork = requiresNetwork
        self.requiresExternalPower = requiresExternalPower
    }
}

/// Who handed a request in.
package enum Submitter: Hashable, Sendable {
    case person
    case plugin(PluginIdentifier)

    package var name: String {
        switch self {
        case .person: "person"
        case .plugin(let identifier): identifier.text
        }
    }
}

/// What interruptions have done to a request or an event so far (C3).
package struct Retry: Hashable, Sendable {
    /// Attempts charged, from 0.
    package var attempts: Int
    /// Wall clock, so that the delay outlives a restart.
    package var notBefore: WallTime?
    /// Set after a crash that named nobody: the next launch takes this one alone.
    package var runsAlone: Bool
    /// Set by every interruption, charged or not: the next launch says that it runs again.
    package var wasInterrupted: Bool

    package init(attempts: Int = 0, notBefore: WallTime? = nil, runsAlone: Bool = false, wasInterrupted: Bool = false) {
        self.attempts = attempts
        self.notBefore = notBefore
        self.runsAlone = runsAlone
        self.wasInterrupted = wasInterrupted
    }
}
