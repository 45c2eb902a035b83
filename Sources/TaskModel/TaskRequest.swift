// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A request as submitted, before acceptance.
package struct TaskRequest: Hashable, Sendable {
    /// The maximum size of the payload of a request or an event, in bytes.
    package static let maximumPayload = 65_536
    /// The maximum size of the payload of a push, in bytes; the limit of Apple's service.
    package static let maximumPushPayload = 4_096

    package let identifier: TaskIdentifier
    package let kind: TaskKind
    /// Earliest time of the launch. Nil means no delay, and so does a time in the past (statements 28 and 30).
    package let earliestBegin: WallTime?
    /// The deadline: the request never starts from this time on, and lapses when it is still pending then. Nil without
    /// a deadline.
    package let expiresAt: WallTime?
    package let requiresNetwork: Bool
    package let requiresExternalPower: Bool
    /// The protection of the container that a health research task requires; the default for other kinds.
    package let protection: ProtectionType
    /// The terms of a continued request; nil for the other kinds.
    package let continued: ContinuedTerms?
    /// The claim of a request that a feeder took from the queue of a fleet; nil for any other request.
    package let claim: LeasedClaim?

    package init(
        identifier: TaskIdentifier,
        kind: TaskKind,
        earliestBegin: WallTime? = nil,
        expiresAt: WallTime? = nil,
        requiresNetwork: Bool = false,
        requiresExternalPower: Bool = false,
        protection: ProtectionType = .default,
        continued: ContinuedTerms? = nil,
        claim: LeasedClaim? = nil
    ) {
        self.identifier = identifier
        self.kind = kind
        self.earliestBegin = earliestBegin
        self.expiresAt = expiresAt
        self.requiresNetwork = requiresNetwork
        self.requiresExternalPower = requiresExternalPower
        self.protection = protection
        self.continued = continued
        self.claim = claim
    }
}

extension TaskRequest {
    /// The request of a push for a plugin.
    ///
    /// - Parameter isLowPriority: whether the push waits for external power.
    package static func push(
        to plugin: PluginIdentifier,
        expiresAt: WallTime? = nil,
        isLowPriority: Bool = false
    ) -> TaskRequest {
        TaskRequest(
            identifier: .push(to: plugin),
            kind: .push,
            expiresAt: expiresAt,
            requiresExternalPower: isLowPriority
        )
    }
}

extension TaskRequest {
    /// The request of a transfer. Every transfer needs the network, and a discretionary one external power as well.
    package static func transfer(
        _ number: SubmissionNumber,
        of plugin: PluginIdentifier,
        earliestBegin: WallTime? = nil,
        expiresAt: WallTime? = nil,
        isDiscretionary: Bool = false
    ) -> TaskRequest {
        TaskRequest(
            identifier: .transfer(number, of: plugin),
            kind: .transfer,
            earliestBegin: earliestBegin,
            expiresAt: expiresAt,
            requiresNetwork: true,
            requiresExternalPower: isDiscretionary
        )
    }

    /// Whether the request is a transfer that waits for a machine without other work.
    package var isDiscretionaryTransfer: Bool { kind == .transfer && requiresExternalPower }

    /// Whether the request waits for an idle machine (statement 66, C16).
    package var waitsForIdle: Bool { kind.isProcessing || isDiscretionaryTransfer }
}

/// The fields that only a continued request has (statements 73 to 79).
package struct ContinuedTerms: Hashable, Sendable {
    /// The maximum length of a title or a subtitle, in bytes.
    package static let maximumTitle = 255

    /// A violation of the rules of titles: the title is missing or empty, or the title or the subtitle is too long.
    package enum TitleProblem: Hashable, Sendable {
        case missing
        case tooLong(RequestField, bytes: Int)
    }

    /// The first problem of a title and a subtitle; nil when both are valid. A title has at least one byte; both have
    /// at most `maximumTitle`.
    package static func titleProblem(title: String?, subtitle: String?) -> TitleProblem? {
        guard let title, !title.isEmpty else { return .missing }
        if title.utf8.count > maximumTitle { return .tooLong(.title, bytes: title.utf8.count) }
        guard let length = subtitle?.utf8.count, length > maximumTitle else { return nil }
        return .tooLong(.subtitle, bytes: length)
    }

    package let title: String
    package let subtitle: String?
    package let strategy: SubmissionStrategy
    package let resources: TaskResources

    package init(
        title: String,
        subtitle: String? = nil,
        strategy: SubmissionStrategy = .default,
        resources: TaskResources = []
    ) {
        self.title = title
        self.subtitle = subtitle
        self.strategy = strategy
        self.resources = resources
    }
}

/// The treatment of a continued request that cannot run at once: wait or fail. The numbers are the ABI's
/// `BGT_STRATEGY_...`.
package enum SubmissionStrategy: UInt32, Hashable, Sendable, CaseIterable {
    case queue = 1
    case fail = 2

    /// The strategy of a request that names none.
    package static let `default` = SubmissionStrategy.queue

    package var name: String { self == .queue ? "queue" : "fail" }
}

/// The resources that a continued task requires; the bits are the ABI's `BGT_RESOURCE_...`.
package struct TaskResources: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let gpu = TaskResources(rawValue: 1)
}

/// The states of the container's lock in which a health research task can run. The numbers are the ABI's
/// `BGT_PROTECTION_...`, divided by 256.
///
/// On Linux the protected data is the container. It is readable while its mounts are present and unlocked.
package enum ProtectionType: UInt32, Hashable, Sendable, CaseIterable {
    /// The container has to be readable at the launch. The task continues when the container is locked later.
    case untilFirstAuthentication = 0
    /// The task can run whether the container is locked or not.
    case none = 1
    /// The container has to be readable at the launch, so that the task can open files. When the container is locked
    /// later, open files stay readable.
    case unlessOpen = 2
    /// The container has to be readable for as long as the task runs.
    case complete = 3

    /// The protection of a request that names none, and of all tasks that are not health research.
    package static let `default` = ProtectionType.untilFirstAuthentication

    package var name: String {
        switch self {
        case .untilFirstAuthentication: "until-first-authentication"
        case .none: "none"
        case .unlessOpen: "unless-open"
        case .complete: "complete"
        }
    }
}

/// The origin of a submission.
package enum Submitter: Hashable, Sendable {
    case user
    case plugin(PluginIdentifier)
    /// A schedule in the operator's configuration, at a scheduled occurrence.
    case schedule

    package var name: String {
        switch self {
        case .user: "user"
        case .plugin(let identifier): identifier.text
        case .schedule: "schedule"
        }
    }

    /// The submitter with a name; nil for other text. No plugin is named `user` or `schedule`, because its identifier
    /// contains a dot.
    package init?(name: String) {
        switch name {
        case "user": self = .user
        case "schedule": self = .schedule
        default:
            guard let plugin = PluginIdentifier(name) else { return nil }
            self = .plugin(plugin)
        }
    }
}

/// The state of a request or an event that results from interruptions and failures of its earlier runs (C3).
package struct Retry: Hashable, Sendable {
    /// Number of attempts charged, from 0.
    package var attempts: Int
    /// Earliest time of the next run, on the wall clock so that it remains valid after a restart; nil for no delay.
    package var notBefore: WallTime?
    /// Whether this task has to be the only one of its next launch. Set after a crash, early exit or memory kill of the
    /// task's process, and after repeated losses of the host.
    package var runsAlone: Bool
    /// Whether a run of the task was interrupted, charged or not, and its budget was not used up afterwards. The next
    /// launch then has the cause `relaunch`, unless a user requested it.
    package var wasInterrupted: Bool
    /// Number of times that the host or the machine went down while the task ran. After repeated losses the task runs
    /// in a launch by itself, because it may have caused them; after further losses it is abandoned.
    package var hostLosses: Int
    /// Number of failed completions after which the host retried the task, from 0. Begins anew after a movement of the
    /// cursor.
    package var failures: Int
    /// Number of runs in a row that a fault of the plugin or a loss of the host ended although they moved the cursor.
    /// Of a transfer and of an event about a session, which have no setbacks: number of relaunches in a row before it.
    package var setbacks: Int

    package init(
        attempts: Int = 0,
        notBefore: WallTime? = nil,
        runsAlone: Bool = false,
        wasInterrupted: Bool = false,
        hostLosses: Int = 0,
        failures: Int = 0,
        setbacks: Int = 0
    ) {
        self.attempts = attempts
        self.notBefore = notBefore
        self.runsAlone = runsAlone
        self.wasInterrupted = wasInterrupted
        self.hostLosses = hostLosses
        self.failures = failures
        self.setbacks = setbacks
    }
}
