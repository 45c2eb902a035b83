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
    /// Of health research alone.
    package let protection: ProtectionType
    /// Of a continued request, and of no other.
    package let continued: ContinuedTerms?

    package init(
        identifier: TaskIdentifier,
        kind: TaskKind,
        earliestBegin: WallTime? = nil,
        requiresNetwork: Bool = false,
        requiresExternalPower: Bool = false,
        protection: ProtectionType = .untilFirstAuthentication,
        continued: ContinuedTerms? = nil
    ) {
        self.identifier = identifier
        self.kind = kind
        self.earliestBegin = earliestBegin
        self.requiresNetwork = requiresNetwork
        self.requiresExternalPower = requiresExternalPower
        self.protection = protection
        self.continued = continued
    }
}

/// What a continued request says beside its identifier (statements 73 to 79).
package struct ContinuedTerms: Hashable, Sendable {
    /// The most that a title or a subtitle may have, in bytes.
    package static let maximumTitle = 255

    package let title: String
    package let subtitle: String?
    package let strategy: SubmissionStrategy
    package let resources: TaskResources

    package init(
        title: String,
        subtitle: String? = nil,
        strategy: SubmissionStrategy = .queue,
        resources: TaskResources = []
    ) {
        self.title = title
        self.subtitle = subtitle
        self.strategy = strategy
        self.resources = resources
    }
}

/// What becomes of a continued request that cannot run at once; the numbers are the ABI's `BGT_STRATEGY_...`.
package enum SubmissionStrategy: UInt32, Hashable, Sendable, CaseIterable {
    case queue = 1
    case fail = 2

    package var name: String { self == .queue ? "queue" : "fail" }
}

/// What a continued task wants of the machine; the bits are the ABI's `BGT_RESOURCE_...`.
package struct TaskResources: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let gpu = TaskResources(rawValue: 1)
}

/// In which state of the container's lock a health research task can work; the numbers are the ABI's `BGT_PROTECTION_...`.
///
/// On Linux the data is the container: it can be read once whatever it is mounted from is mounted and unlocked.
package enum ProtectionType: UInt32, Hashable, Sendable, CaseIterable {
    /// Readable when the task is launched; a lock afterwards does not matter.
    case untilFirstAuthentication = 0
    /// The lock does not matter at all.
    case none = 1
    /// Readable when the task is launched, so that files can be opened; those stay readable.
    case unlessOpen = 2
    /// Readable as long as the task runs.
    case complete = 3

    package var name: String {
        switch self {
        case .untilFirstAuthentication: "until-first-authentication"
        case .none: "none"
        case .unlessOpen: "unless-open"
        case .complete: "complete"
        }
    }
}

/// Who handed a request in.
package enum Submitter: Hashable, Sendable {
    case person
    case plugin(PluginIdentifier)
    /// The operator's configuration, at an occasion of its schedule.
    case schedule

    package var name: String {
        switch self {
        case .person: "person"
        case .plugin(let identifier): identifier.text
        case .schedule: "schedule"
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
    /// Times that the host or the machine went down while it ran, from 0. Work that takes its host down would otherwise
    /// return without end.
    package var hostLosses: Int

    package init(
        attempts: Int = 0,
        notBefore: WallTime? = nil,
        runsAlone: Bool = false,
        wasInterrupted: Bool = false,
        hostLosses: Int = 0
    ) {
        self.attempts = attempts
        self.notBefore = notBefore
        self.runsAlone = runsAlone
        self.wasInterrupted = wasInterrupted
        self.hostLosses = hostLosses
    }
}
