// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The rules by which requests are accepted or refused: manifest, header version, operator's settings, limits,
/// resources and foreground. Stateless.
package enum SubmissionRules {
    /// The refusal of a request by the manifest, the header version, the operator's settings or a limit; nil without
    /// one.
    ///
    /// - Parameters:
    ///   - isPermitted: whether the manifest permits the identifier for the request's kind.
    ///   - pending: number of other pending requests that count against the same limit; nil when the request replaces a
    ///     pending one that counts against that limit.
    static func refusal(
        of request: TaskRequest,
        for entry: PluginEntry,
        isPermitted: Bool,
        pending: Int?,
        under configuration: SchedulingConfiguration
    ) -> SubmissionRefusal? {
        if request.kind == .event { return eventRefusal }
        let policy = configuration.policy(for: entry.identifier)
        if !policy.isEnabled { return .pluginDisabled(entry.identifier) }
        if let refusal = versionRefusal(of: request.kind, for: entry, configuration.abiMinors) { return refusal }
        return operatorRefusal(of: request, for: entry, policy: policy, under: configuration)
            ?? permissionRefusal(of: request, isPermitted: isPermitted, for: entry)
            ?? functionRefusal(of: request, for: entry)
            ?? limitRefusal(of: request, for: entry, pending: pending, limits: policy.limits ?? configuration.limits)
    }

    /// The refusal of a request by any rule that does not depend on the present use of capacity; nil without one.
    ///
    /// - Parameters:
    ///   - isForeground: whether a user or a launch in the foreground submits the request.
    ///   - pending: see `refusal(of:for:isPermitted:pending:under:)`.
    package static func refusal(
        of request: TaskRequest,
        for entry: PluginEntry,
        isPermitted: Bool,
        pending: Int?,
        isForeground: Bool,
        on conditions: Conditions,
        under configuration: SchedulingConfiguration
    ) -> SubmissionRefusal? {
        let refusal = refusal(
            of: request,
            for: entry,
            isPermitted: isPermitted,
            pending: pending,
            under: configuration
        )
        if refusal != nil || request.kind != .continued { return refusal }
        return isForeground ? resourceRefusal(of: request, on: conditions) : foregroundRefusal(of: request)
    }

    /// A permission that a request needs and that the manifest does not give.
    enum ManifestProblem: Hashable {
        case identifierNotPermitted
        case modeMissing(BackgroundMode)
        case entitlementMissing(Entitlement)

        /// The reason that blocks a pending request because of this problem: the installed manifest no longer gives the
        /// permission that the request needs.
        func reason(for request: TaskRequest) -> Reason {
            switch self {
            case .identifierNotPermitted: .identifierNotPermitted(request.identifier)
            case .modeMissing(let mode): .modeMissing(mode)
            case .entitlementMissing(let entitlement): .entitlementMissing(entitlement)
            }
        }
    }

    /// The first permission that a request needs and that the manifest does not give (statements 2 to 4, 9 and 10); nil
    /// when the manifest gives all. Checked at the submission, and again whenever a pending request is evaluated (C17).
    ///
    /// - Parameter isPermitted: whether the manifest permits the identifier for the request's kind; see `Permissions`.
    static func problem(with request: TaskRequest, isPermitted: Bool, for entry: PluginEntry) -> ManifestProblem? {
        if !isPermitted { return .identifierNotPermitted }
        if let mode = request.kind.mode, !entry.modes.contains(mode) { return .modeMissing(mode) }
        return request.entitlement.flatMap { entry.entitlements.contains($0) ? nil : .entitlementMissing($0) }
    }

    /// Whether the manifest gives a request every permission, including the entitlement for its resources.
    package static func permits(_ request: TaskRequest, under permissions: Permissions, of entry: PluginEntry) -> Bool {
        let isPermitted = permissions.permits(request.identifier, as: request.kind)
        return problem(with: request, isPermitted: isPermitted, for: entry) == nil
    }

    /// The refusal of background work that the operator has disabled (statement 7); nil when it is not disabled.
    private static func operatorRefusal(
        of request: TaskRequest,
        for entry: PluginEntry,
        policy: PluginPolicy,
        under configuration: SchedulingConfiguration
    ) -> SubmissionRefusal? {
        if request.kind == .continued { return nil }
        if policy.isBackgroundDenied {
            let reason = Reason.backgroundDenied(entry.identifier)
            return SubmissionRefusal(
                code: .notPermitted,
                subReason: .backgroundDenied,
                message: "\(reason.message); \(reason.remedy)"
            )
        }
        guard request.kind == .refresh, !(configuration.isBackgroundRefreshOn && policy.isBackgroundRefreshOn) else {
            return nil
        }
        let reason = Reason.backgroundRefreshOff(configuration.isBackgroundRefreshOn ? entry.identifier : nil)
        return SubmissionRefusal(
            code: .unavailable,
            subReason: .backgroundRefreshOff,
            message: "\(reason.message); \(reason.remedy)"
        )
    }

    /// The refusal of a request for resources that the machine does not have (statement 75); nil when it has all of
    /// them.
    static func resourceRefusal(of request: TaskRequest, on conditions: Conditions) -> SubmissionRefusal? {
        guard let terms = request.continued, !terms.resources.isSubset(of: conditions.resources) else { return nil }
        return SubmissionRefusal(
            code: .notPermitted,
            subReason: .resourcesUnsupported,
            message: "\(request.identifier) needs a GPU, and the host sees none;"
                + " request a GPU only where \"bgtask host status\" shows gpu yes"
        )
    }

    /// The refusal of a continued request that was submitted neither by a user nor by a launch in the foreground (C8).
    static func foregroundRefusal(of request: TaskRequest) -> SubmissionRefusal {
        SubmissionRefusal(
            code: .notPermitted,
            subReason: .notInForeground,
            message: "\(request.identifier) is continued processing, which only a user starts: submit it with"
                + " \"bgtask task submit\", from a launch that a user requested, or from an extension that a user"
                + " triggered"
        )
    }

    /// The refusal of a deadline that has passed, or that does not follow the earliest begin: the request could never
    /// start. Nil for any other request.
    static func deadlineRefusal(of request: TaskRequest, at now: WallTime) -> SubmissionRefusal? {
        guard let deadline = request.expiresAt else { return nil }
        let problem =
            deadline <= now
            ? "has passed"
            : request.earliestBegin.map { deadline <= $0 } == true ? "is not later than earliest_begin" : nil
        guard let problem else { return nil }
        return SubmissionRefusal(
            code: .notPermitted,
            subReason: .deadlinePassed,
            message: "expires_at of \(request.identifier) \(problem), so the request could never start; submit it with"
                + " a later expires_at, or without one"
        )
    }

    /// The refusal of a kind that is newer than the header of the plugin's library, which could not handle it; nil for
    /// any other kind.
    private static func versionRefusal(
        of kind: TaskKind,
        for entry: PluginEntry,
        _ minors: ABIMinors
    ) -> SubmissionRefusal? {
        guard !minors.delivers(kind, to: entry.library), let header = entry.library.headerMinor else { return nil }
        return .pluginTooOld(entry.identifier, for: "\(kind.name) requests", since: minors.since(kind), header: header)
    }

    private static let eventRefusal = SubmissionRefusal(
        code: .notPermitted,
        subReason: .identifierNotPermitted,
        message: "an event cannot be submitted; submit a refresh, processing, health research or continued request"
    )

    private static func permissionRefusal(
        of request: TaskRequest,
        isPermitted: Bool,
        for entry: PluginEntry
    ) -> SubmissionRefusal? {
        switch problem(with: request, isPermitted: isPermitted, for: entry) {
        case .modeMissing(let mode):
            SubmissionRefusal(
                code: .notPermitted,
                subReason: mode.missing,
                message:
                    "a \(request.kind == .push ? "push" : "\(request.kind.name) request") needs the background mode"
                    + " \(mode.rawValue), which the manifest of \(entry.identifier) does not list; add it to background-modes"
            )
        case .entitlementMissing(let entitlement):
            SubmissionRefusal(
                code: .notPermitted,
                subReason: .entitlementMissing,
                message: "\(request.identifier) needs the grant \(entitlement.rawValue), which the manifest of"
                    + " \(entry.identifier) does not request; add \(entitlement.rawValue): true to grants"
            )
        case .identifierNotPermitted where request.identifier.pushedPlugin != nil:
            SubmissionRefusal(
                code: .notPermitted,
                subReason: .identifierNotPermitted,
                message:
                    "\(request.identifier) is the identifier of the pushes to \(entry.identifier), and no"
                    + " \(request.kind.name) request may have it; send a push with \"bgtask push send"
                    + " \(entry.identifier)\", or submit a task identifier that the manifest permits"
            )
        case .identifierNotPermitted:
            SubmissionRefusal(
                code: .notPermitted,
                subReason: .identifierNotPermitted,
                message:
                    "the manifest of \(entry.identifier) does not permit the identifier \(request.identifier) for a"
                    + " \(request.kind.name) request; add the identifier itself to permitted-identifiers"
            )
        case nil: nil
        }
    }

    /// The refusal of a continued request for a bound function; nil for any other request. A bound function cannot
    /// report progress, so its task would be expired as stalled.
    private static func functionRefusal(of request: TaskRequest, for entry: PluginEntry) -> SubmissionRefusal? {
        guard request.kind == .continued, let handler = entry.handler(for: request.identifier) else { return nil }
        return SubmissionRefusal(
            code: .unavailable,
            subReason: .notOffered,
            message:
                "\(request.identifier) is bound to the function \(handler.symbol), which cannot report progress"
                + " as a continued task has to; submit it as processing"
        )
    }

    private static func limitRefusal(
        of request: TaskRequest,
        for entry: PluginEntry,
        pending: Int?,
        limits: PendingLimits
    ) -> SubmissionRefusal? {
        let kind = request.kind.countedAs
        guard let limit = limits[kind], let pending, pending >= limit else { return nil }
        let kinds = TaskKind.allCases.filter { $0.countedAs == kind }.map(\.name).joined(separator: " or ")
        let requests = pending == 1 ? "request" : "requests"
        let alternative = pending == 0 ? "" : "cancel one, or "
        let key = "plugins.\(entry.identifier).limits.\(kind.name)"
        return SubmissionRefusal(
            code: .tooManyPendingTaskRequests,
            subReason: kind.limitReason,
            message:
                "\(entry.identifier) has \(pending) pending \(kinds) \(requests) and the limit is \(limit);"
                + " \(alternative)raise \(key) in the host's configuration and run bgtask host reload"
        )
    }
}

extension TaskKind {
    /// The background mode that the manifest has to list for the kind (statements 3 to 5); nil when the kind needs
    /// none.
    var mode: BackgroundMode? {
        switch self {
        case .refresh: .fetch
        case .processing, .healthResearch: .processing
        case .push: .remoteNotification
        case .continued, .event, .transfer: nil
        }
    }
}

extension TaskKind {
    /// The sub-reason of a refusal because of the limit of pending requests of the kind.
    fileprivate var limitReason: SubmissionRefusal.SubReason {
        switch self {
        case .refresh: .refreshLimit
        case .continued: .continuedLimit
        case .transfer: .transferLimit
        case .processing, .healthResearch, .event, .push: .processingLimit
        }
    }

    /// Whether the operator's switch for background refresh covers the kind (statement 7). A push that arrives while
    /// the switch is off is stored and waits.
    var needsBackgroundRefresh: Bool { self == .refresh || self == .push }
}

extension BackgroundMode {
    /// The sub-reason of a refusal because the manifest does not list the mode.
    fileprivate var missing: SubmissionRefusal.SubReason {
        switch self {
        case .fetch: .fetchModeMissing
        case .processing: .processingModeMissing
        case .remoteNotification: .remoteNotificationModeMissing
        }
    }
}

extension TaskRequest {
    var entitlement: Entitlement? {
        if kind == .healthResearch { return .healthResearch }
        return continued?.resources.contains(.gpu) == true ? .continuedProcessingGPU : nil
    }
}
