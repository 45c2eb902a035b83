// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// An accepted request that waits for its launch. Its payload stays in the ledger.
package struct PendingRequest: Hashable, Sendable {
    /// The main plugin to be launched for the request. The submitter may be another plugin, a user or a schedule.
    package let plugin: PluginIdentifier
    package let number: SubmissionNumber
    package let request: TaskRequest
    package let submitter: Submitter
    package let submittedAt: WallTime
    package var retry: Retry
    /// Start of the maximum deferral (C12), once a launch of the request has fixed it; nil while the deferral periods
    /// of the class determine it. It is never reset, so advisory policies delay the request for a bounded time.
    package var deferredSince: WallTime?

    package init(
        plugin: PluginIdentifier,
        number: SubmissionNumber,
        request: TaskRequest,
        submitter: Submitter,
        submittedAt: WallTime,
        retry: Retry = Retry(),
        deferredSince: WallTime? = nil
    ) {
        self.plugin = plugin
        self.number = number
        self.request = request
        self.submitter = submitter
        self.submittedAt = submittedAt
        self.retry = retry
        self.deferredSince = deferredSince
    }
}

extension PendingRequest {
    /// Whether the spacing of the kind applies to the request: the plugin submitted it itself, or it is a push of any
    /// sender. False for other requests of users, extensions and schedules.
    package var isOwn: Bool { submitter == .plugin(plugin) || request.kind == .push }
}

extension Sequence<PendingWork> {
    /// The kinds of those requests in the sequence that the plugin of the request submitted itself, and of pushes.
    package var ownKinds: Set<TaskKind> {
        Set(compactMap { if case .request(let request) = $0, request.isOwn { request.request.kind } else { nil } })
    }
}

/// An undelivered event for a plugin (C11), kept until delivery. Its payload stays in the ledger.
package struct PendingEvent: Hashable, Sendable {
    package let plugin: PluginIdentifier
    package let number: SubmissionNumber
    package let type: EventType
    /// The session whose transfers ended; nil for an event of another type.
    package let session: TransferSession?
    package let createdAt: WallTime
    package var retry: Retry

    package init(
        plugin: PluginIdentifier,
        number: SubmissionNumber,
        type: EventType,
        session: TransferSession? = nil,
        createdAt: WallTime,
        retry: Retry = Retry()
    ) {
        self.plugin = plugin
        self.number = number
        self.type = type
        self.session = session
        self.createdAt = createdAt
        self.retry = retry
    }
}

/// A pending request or event. In a batch, it is the work that one task delivers.
package enum PendingWork: Hashable, Sendable {
    case request(PendingRequest)
    case event(PendingEvent)

    package var number: SubmissionNumber {
        switch self {
        case .request(let request): request.number
        case .event(let event): event.number
        }
    }

    package var plugin: PluginIdentifier {
        switch self {
        case .request(let request): request.plugin
        case .event(let event): event.plugin
        }
    }

    package var kind: TaskKind {
        switch self {
        case .request(let request): request.request.kind
        case .event: .event
        }
    }

    /// Whether the work waits for an idle machine. False for an event.
    package var waitsForIdle: Bool {
        if case .request(let request) = self { request.request.waitsForIdle } else { false }
    }

    /// The task identifier, or the name of the event.
    package var label: String {
        switch self {
        case .request(let request): request.request.identifier.text
        case .event(let event): event.type.name
        }
    }

    package var identifier: TaskIdentifier? {
        if case .request(let request) = self { request.request.identifier } else { nil }
    }

    /// The claim of the request; nil for a request without a claim, and for an event.
    package var claim: LeasedClaim? {
        if case .request(let request) = self { request.request.claim } else { nil }
    }

    /// The identifier under which the work may have a cursor; nil for events and pushes, which have none.
    package var cursorIdentifier: TaskIdentifier? { kind == .push ? nil : identifier }

    package var retry: Retry {
        get {
            switch self {
            case .request(let request): request.retry
            case .event(let event): event.retry
            }
        }
        set {
            switch self {
            case .request(var request):
                request.retry = newValue
                self = .request(request)
            case .event(var event):
                event.retry = newValue
                self = .event(event)
            }
        }
    }
}
