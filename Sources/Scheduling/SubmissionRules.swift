// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Whether a request may be accepted, by the manifest, the operator's policy and the limits. Keeps nothing.
package enum SubmissionRules {
    /// - Parameter pending: requests of the same kind that would be pending beside this one; nil when it replaces one.
    package static func refusal(
        of request: TaskRequest,
        for entry: PluginEntry,
        pending: Int?,
        under configuration: SchedulingConfiguration
    ) -> Refusal? {
        if request.kind == .event { return eventRefusal }
        let policy = configuration.policy(for: entry.identifier)
        if !policy.isEnabled { return .pluginDisabled(entry.identifier) }
        return permissionRefusal(of: request, for: entry, policy: policy)
            ?? limitRefusal(of: request, for: entry, pending: pending, limits: policy.limits ?? configuration.limits)
    }

    /// Statements 2 to 4, 9 and 10; asked again when a pending request is judged at launch (C17).
    package static func permissionProblem(
        of request: TaskRequest,
        for entry: PluginEntry,
        policy: PluginPolicy
    ) -> Reason? {
        let isPermitted = entry.permitted.contains { permitted in
            if case .pattern = permitted, !(request.kind == .processing && policy.allowsPatternsForProcessing) {
                return false
            }
            return permitted.covers(request.identifier)
        }
        if !isPermitted { return .identifierNotPermitted(request.identifier) }
        let mode: BackgroundMode = request.kind == .refresh ? .fetch : .processing
        return entry.modes.contains(mode) ? nil : .modeMissing(mode)
    }

    private static let eventRefusal = Refusal(
        code: .notPermitted,
        subReason: .identifierNotPermitted,
        message: "an event cannot be submitted; submit a refresh or processing request"
    )

    private static func permissionRefusal(
        of request: TaskRequest,
        for entry: PluginEntry,
        policy: PluginPolicy
    ) -> Refusal? {
        switch permissionProblem(of: request, for: entry, policy: policy) {
        case .modeMissing(let mode):
            Refusal(
                code: .notPermitted,
                subReason: mode == .fetch ? .fetchModeMissing : .processingModeMissing,
                message:
                    "a \(request.kind.name) request needs the background mode \(mode.rawValue), which the manifest of"
                    + " \(entry.identifier) does not list; add it to background-modes"
            )
        case .some:
            Refusal(
                code: .notPermitted,
                subReason: .identifierNotPermitted,
                message:
                    "identifier \(request.identifier) is not among the permitted identifiers of \(entry.identifier);"
                    + " add it to permitted-identifiers in its manifest"
            )
        case nil: nil
        }
    }

    private static func limitRefusal(
        of request: TaskRequest,
        for entry: PluginEntry,
        pending: Int?,
        limits: PendingLimits
    ) -> Refusal? {
        let limit = request.kind == .refresh ? limits.refresh : limits.processing
        guard let pending, pending >= limit else { return nil }
        return Refusal(
            code: .tooManyPendingTaskRequests,
            subReason: request.kind == .refresh ? .refreshLimit : .processingLimit,
            message:
                "\(entry.identifier) has \(pending) pending \(request.kind.name) requests and the limit is \(limit);"
                + " cancel one, or raise plugins.\(entry.identifier).limits in the host's configuration"
        )
    }
}
