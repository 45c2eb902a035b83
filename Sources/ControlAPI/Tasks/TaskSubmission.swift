// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials
package import TaskModel

/// The body of `POST /v1/tasks`: a request that a user submits.
package struct TaskSubmission: CallBody, Hashable {
    package static let fields: [BodyField] = [
        .required("identifier", .text), .required("kind", .text), .optional("earliest_begin", .time),
        .optional("requires_network", .boolean), .optional("requires_external_power", .boolean),
        .optional("protection", .text), .optional("title", .text), .optional("subtitle", .text),
        .optional("strategy", .text), .optional("requires_gpu", .boolean), .optional("payload", .base64),
        .optional("expires_at", .time), .optional("restart", .boolean),
        .optional("only_if_soon", .boolean), .optional("claim", .object(ClaimBody.fields)),
    ]

    package let identifier: String
    package let kind: String
    package let earliestBegin: CalendarTime?
    /// The deadline; nil for none.
    package let expiresAt: CalendarTime?
    package let requiresNetwork: Bool
    package let requiresExternalPower: Bool
    /// The data protection type of a health research request; nil for the default type, and for other kinds.
    package let protection: String?
    /// The title of a continued request; nil for other kinds. `subtitle`, `strategy` and `requiresGPU` are also fields
    /// of continued requests only.
    package let title: String?
    package let subtitle: String?
    package let strategy: String?
    package let requiresGPU: Bool
    /// The payload, encoded in base 64; nil for an empty one.
    package let payload: Data?
    /// Whether the task begins from the start: the cursor of its identifier is deleted. Nil means false, so that a host
    /// that does not know the field accepts the other requests.
    package let restart: Bool?
    /// Whether the request is refused unless it could start soon. Nil means false, as with `restart`.
    package let onlyIfSoon: Bool?
    /// The claim of the request; nil for a request that is not from the queue of a fleet. Only in a batch with a lease.
    package let claim: ClaimBody?

    package init(
        _ request: TaskRequest,
        payload: [UInt8] = [],
        restart: Bool = false,
        onlyIfSoon: Bool = false
    ) {
        identifier = request.identifier.text
        kind = request.kind.name
        earliestBegin = request.earliestBegin.map { CalendarTime(Timestamp($0)) }
        expiresAt = request.expiresAt.map { CalendarTime(Timestamp($0)) }
        requiresNetwork = request.requiresNetwork
        requiresExternalPower = request.requiresExternalPower
        protection = request.kind == .healthResearch ? request.protection.name : nil
        title = request.continued?.title
        subtitle = request.continued?.subtitle
        strategy = request.continued?.strategy.name
        requiresGPU = request.continued?.resources.contains(.gpu) ?? false
        self.payload = CarriedPayload.data(payload)
        self.restart = restart ? true : nil
        self.onlyIfSoon = onlyIfSoon ? true : nil
        claim = request.claim.map { ClaimBody($0.claim) }
    }

    private enum CodingKeys: String, CodingKey {
        case identifier, kind, payload, protection, title, subtitle, strategy, restart, claim
        case earliestBegin = "earliest_begin"
        case expiresAt = "expires_at"
        case requiresNetwork = "requires_network"
        case requiresExternalPower = "requires_external_power"
        case requiresGPU = "requires_gpu"
        case onlyIfSoon = "only_if_soon"
    }

    // Boolean fields may be left out; the default is false.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try container.decodeIfPresent(String.self, forKey: key) }
        func flag(_ key: CodingKeys) throws -> Bool { try container.decodeIfPresent(Bool.self, forKey: key) ?? false }
        identifier = try container.decode(String.self, forKey: .identifier)
        kind = try container.decode(String.self, forKey: .kind)
        earliestBegin = try container.decodeIfPresent(CalendarTime.self, forKey: .earliestBegin)
        expiresAt = try container.decodeIfPresent(CalendarTime.self, forKey: .expiresAt)
        requiresNetwork = try flag(.requiresNetwork)
        requiresExternalPower = try flag(.requiresExternalPower)
        protection = try text(.protection)
        title = try text(.title)
        subtitle = try text(.subtitle)
        strategy = try text(.strategy)
        requiresGPU = try flag(.requiresGPU)
        payload = try container.decodeIfPresent(Data.self, forKey: .payload)
        restart = try container.decodeIfPresent(Bool.self, forKey: .restart)
        onlyIfSoon = try container.decodeIfPresent(Bool.self, forKey: .onlyIfSoon)
        claim = try container.decodeIfPresent(ClaimBody.self, forKey: .claim)
    }

    /// The checked request with its payload, for the scheduler. Throws a refusal for an invalid field, or a field that
    /// only another kind of request may have.
    ///
    /// - Parameter lease: the lease of the batch that contains the request; nil without one.
    package func validated(
        under lease: String? = nil
    ) throws(RouteError) -> (request: TaskRequest, payload: [UInt8]) {
        let task = try TaskIdentifier(validating: identifier)
        let kind = try validKind()
        try refuseForeignFields(of: kind)
        let protection = try word(self.protection, "protection", among: ProtectionType.allCases, \.name)
        let request = TaskRequest(
            identifier: task,
            kind: kind,
            earliestBegin: earliestBegin?.time.wall,
            expiresAt: expiresAt?.time.wall,
            requiresNetwork: requiresNetwork,
            requiresExternalPower: requiresExternalPower,
            protection: protection ?? .default,
            continued: kind == .continued ? try continuedTerms() : nil,
            claim: try claim?.validated(under: lease)
        )
        return (request, try CarriedPayload.bytes(payload))
    }

    private func validKind() throws(RouteError) -> TaskKind {
        let offered = TaskKind.submittable
        if let kind = offered.first(where: { $0.name == kind }) { return kind }
        throw RouteError(
            .kindUnknown,
            field: "kind",
            "field \"kind\" is \"\(kind)\", which is not a kind that a call may submit",
            remedy: NearestWord.remedy(for: kind, among: offered.map(\.name))
        )
    }

    /// Throws a refusal for a field that only another kind of request may have. If the host ignored such a field, the
    /// caller would not notice the mistake.
    private func refuseForeignFields(of kind: TaskKind) throws(RouteError) {
        // The plugin ABI ignores the field instead, as Apple's BackgroundTasks does.
        if !kind.mayBeginLater, earliestBegin != nil {
            throw RouteError(
                .fieldNotOfKind,
                field: "earliest_begin",
                "field \"earliest_begin\" does not apply to a \(kind.name) request, which begins as soon as possible",
                remedy: "leave it out, or submit another kind"
            )
        }
        guard let field = RequestField.foreign(to: kind, isGiven: has) else { return }
        throw RouteError(
            .fieldNotOfKind,
            field: field.key,
            "field \"\(field.key)\" does not apply to a \(kind.name) request",
            remedy: "leave it out, or submit another kind"
        )
    }

    private func has(_ field: RequestField) -> Bool {
        switch field {
        case .requiresNetwork: requiresNetwork
        case .requiresExternalPower: requiresExternalPower
        case .protection: protection != nil
        case .title: title != nil
        case .subtitle: subtitle != nil
        case .strategy: strategy != nil
        case .resources: requiresGPU
        }
    }

    private func continuedTerms() throws(RouteError) -> ContinuedTerms {
        switch ContinuedTerms.titleProblem(title: title, subtitle: subtitle) {
        case .missing:
            throw RouteError(
                .fieldMissing,
                field: "title",
                "a continued request needs a title, which users see while it runs",
                remedy: "set field \"title\" to a text that is not empty"
            )
        case .tooLong(let field, let bytes):
            throw RouteError(
                .textTooLong,
                field: field.key,
                "field \"\(field.key)\" has \(bytes) bytes; at most \(ContinuedTerms.maximumTitle) are allowed",
                remedy: "shorten it"
            )
        case nil: break
        }
        let strategy = try word(self.strategy, "strategy", among: SubmissionStrategy.allCases, \.name)
        return ContinuedTerms(
            title: title ?? "",
            subtitle: subtitle,
            strategy: strategy ?? .default,
            resources: requiresGPU ? .gpu : []
        )
    }

    private func word<Value>(
        _ text: String?,
        _ field: String,
        among values: [Value],
        _ name: KeyPath<Value, String>
    ) throws(RouteError) -> Value? {
        guard let text else { return nil }
        if let value = values.first(where: { $0[keyPath: name] == text }) { return value }
        throw RouteError(
            .wordUnknown,
            field: field,
            "field \"\(field)\" is \"\(text)\", which is not a known value",
            remedy: NearestWord.remedy(for: text, among: values.map { $0[keyPath: name] })
        )
    }
}

/// The answer to a submission, sent after the request is committed.
package struct TaskSubmissionReply: Codable, Hashable, Sendable {
    package let submission: Int64
    /// The main plugin to be launched for the request.
    package let plugin: String
    package let identifier: String
    /// Submission number of the pending request that the new request replaced; nil when there was none.
    package let replaced: Int64?
    /// The earliest begin of the request; nil when the request has none.
    package let earliestBegin: Timestamp?
    private let earliestBeginSecond: CalendarTime?
    /// The deadline of the request; nil when it has none.
    package let expiresAt: Timestamp?
    private let expiresAtSecond: CalendarTime?
    /// The pauses for whose end the request waits; nil when its plugin is not paused.
    package let waiting: [WaitingReason]?

    package init(
        _ submission: SubmissionNumber,
        plugin: PluginIdentifier,
        identifier: TaskIdentifier,
        replacing replaced: SubmissionNumber?,
        earliestBegin: WallTime? = nil,
        expiresAt: WallTime? = nil,
        waiting: [WaitingReason] = []
    ) {
        self.earliestBegin = earliestBegin.map(Timestamp.init)
        earliestBeginSecond = self.earliestBegin.map(CalendarTime.init(secondOf:))
        self.expiresAt = expiresAt.map(Timestamp.init)
        expiresAtSecond = self.expiresAt.map(CalendarTime.init(secondOf:))
        self.submission = submission.rawValue
        self.plugin = plugin.text
        self.identifier = identifier.text
        self.replaced = replaced?.rawValue
        self.waiting = waiting.isEmpty ? nil : waiting
    }

    private enum CodingKeys: String, CodingKey {
        case submission, plugin, identifier, replaced, waiting
        case earliestBegin = "earliest_begin_ns"
        case earliestBeginSecond = "earliest_begin"
        case expiresAt = "expires_at_ns"
        case expiresAtSecond = "expires_at"
    }
}

/// The answer to `DELETE /v1/tasks/{identifier}`: whether a pending request was cancelled. A running task continues.
package struct TaskCancellationReply: Codable, Hashable, Sendable {
    package let isCancelled: Bool

    package init(isCancelled: Bool) { self.isCancelled = isCancelled }

    private enum CodingKeys: String, CodingKey {
        case isCancelled = "cancelled"
    }
}

/// The answer to `POST /v1/tasks/{identifier}/stop`: the launch whose task was expired, or a cancelled request.
package struct TaskStopReply: Codable, Hashable, Sendable {
    /// The launch of the task that was expired; nil when no task was running.
    package let launch: Int64?
    /// Whether a pending continued request was cancelled, because its task was not running.
    package let isCancelled: Bool

    package init(launch: LaunchNumber?) {
        self.launch = launch?.rawValue
        isCancelled = launch == nil
    }

    private enum CodingKeys: String, CodingKey {
        case launch
        case isCancelled = "cancelled"
    }
}
