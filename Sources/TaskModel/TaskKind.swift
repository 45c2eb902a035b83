// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The kind of a task; the numbers are the ABI's `BGT_KIND_...`, except those of a push and a transfer, which only the
/// host uses.
package enum TaskKind: UInt32, Hashable, Sendable, CaseIterable {
    case refresh = 1
    case processing = 2
    /// Processing for a study. It counts as processing in limits and lanes.
    case healthResearch = 3
    /// Work that a user starts and watches.
    case continued = 4
    case event = 5
    /// A background push. It waits like a request, one for each plugin, and is delivered as the event `push`.
    case push = 6
    /// A background transfer: a download into a file, or an upload of a file. The library of the host runs it, under
    /// the rights of the plugin that began it.
    case transfer = 7

    /// The kinds whose numbers the ABI has. A push crosses to the plugin as an event, and a transfer never does.
    package static let ofABI = allCases.filter { $0 != .push && $0 != .transfer }

    package var name: String {
        switch self {
        case .refresh: "refresh"
        case .processing: "processing"
        case .healthResearch: "health-research"
        case .continued: "continued"
        case .event: "event"
        case .push: "push"
        case .transfer: "transfer"
        }
    }

    package init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// The minor version of the ABI since which the kind exists.
    package var sinceMinor: Int {
        switch self {
        case .refresh, .processing, .healthResearch, .continued, .event, .push, .transfer: 0
        }
    }

    /// The lane of a launch for this kind of task. A continued task may also join a launch in another lane (C8).
    package var lane: Lane {
        switch self {
        case .refresh, .processing, .healthResearch, .push: .background
        case .event: .event
        case .continued: .continued
        case .transfer: .transfer
        }
    }

    /// The kind whose limit of pending requests applies to this kind (C5).
    package var countedAs: TaskKind { isProcessing ? .processing : self }

    /// Whether this is a kind of processing. All such kinds wait for an idle machine and share one limit (statement 66,
    /// C5).
    package var isProcessing: Bool { self == .processing || self == .healthResearch }

    /// Whether a request of this kind may have an earliest begin. A continued task runs now or as soon as there is
    /// capacity (statement 72).
    package var mayBeginLater: Bool { self != .continued }
}

/// One of the queues of launches of a plugin (C7); the numbers are the ABI's `BGT_LANE_...`, except that of transfers,
/// which only the host uses.
package enum Lane: UInt32, Hashable, Sendable, CaseIterable {
    case background = 1
    case event = 2
    case continued = 3
    /// Launches of the host's transfer library for the transfers of a plugin.
    case transfer = 4

    /// The lanes whose numbers the ABI has.
    package static let ofABI = allCases.filter { $0 != .transfer }

    package var name: String {
        switch self {
        case .background: "background"
        case .event: "event"
        case .continued: "continued"
        case .transfer: "transfer"
        }
    }
}

/// The role of a plugin. A main plugin registers and runs tasks; an extension receives triggers and submits for its
/// main plugin.
package enum PluginRole: UInt32, Hashable, Sendable, CaseIterable {
    case main = 1
    case `extension` = 2

    package var name: String { self == .main ? "main" : "extension" }
}

/// The events that launch an extension, the value of the manifest key `extension-point`.
package enum ExtensionPoint: String, Hashable, Sendable, CaseIterable {
    /// A user's trigger, for example from a share sheet.
    case trigger
    /// An alert push to the main plugin, whose notification the extension may change.
    case notificationService = "notification-service"
}

/// A manifest's permission for a kind of background work: `fetch` for refresh, `processing` for processing and health
/// research, `remote-notification` for pushes.
package enum BackgroundMode: String, Hashable, Sendable, CaseIterable {
    case fetch
    case processing
    case remoteNotification = "remote-notification"
}

/// The cause of a launch; the numbers are the ABI's `BGT_CAUSE_...`.
package enum LaunchCause: UInt32, Hashable, Sendable, CaseIterable {
    case due = 1
    case user = 2
    case event = 3
    case relaunch = 4

    package var name: String {
        switch self {
        case .due: "due"
        case .user: "user"
        case .event: "event"
        case .relaunch: "relaunch"
        }
    }
}

/// The type of an event; the numbers are the ABI's `BGT_EVENT_...`.
package enum EventType: UInt32, Hashable, Sendable, CaseIterable {
    /// The plugin was installed or changed, or has no pending work when a host starts. At this event the plugin can
    /// submit its first requests.
    case started = 1
    /// A user triggered an extension, possibly with a payload.
    case trigger = 2
    /// Legacy fetch: the interval that the plugin requested has passed (statement 84).
    case fetch = 3
    /// A background push with its payload, for a plugin whose manifest lists the mode `remote-notification`. A waiting
    /// push is a request, not an event: the type exists only in plans.
    case push = 4
    /// The last transfer of a session ended. The payload is the name of the session.
    case transfersFinished = 5
    /// An alert push with its payload, for a notification service extension, which may change the notification.
    case notification = 6

    package var name: String {
        switch self {
        case .started: "started"
        case .trigger: "trigger"
        case .fetch: "fetch"
        case .push: "push"
        case .transfersFinished: "transfers-finished"
        case .notification: "notification"
        }
    }

    /// The minor version of the ABI since which the event exists.
    package var sinceMinor: Int {
        switch self {
        case .started, .trigger, .fetch, .push, .transfersFinished, .notification: 0
        }
    }
}

/// A permission for requests beyond identifiers and modes, which a grant of the manifest gives. The raw value is the
/// key of the grant below `grants`.
package enum Entitlement: String, Hashable, Sendable, CaseIterable {
    case continuedProcessingGPU = "gpu"
    case healthResearch = "health-research"
}
