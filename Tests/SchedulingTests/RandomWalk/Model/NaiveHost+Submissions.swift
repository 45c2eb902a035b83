// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// Permissions of submissions: statements 1 to 10, 22 to 26, 36, 37 and 72 to 75, C5, C8, C9, C14, C15.
extension NaiveHost {
    /// Complains about an accepted request for which a refusal is certain.
    func accepted(_ request: PendingRequest) {
        let isAskedNow = asked?.request.identifier == request.request.identifier
        let waiting = isAskedNow ? nil : waitingSubmission(of: request)
        let submission =
            (isAskedNow ? asked : waiting?.submission)
            ?? Submission(request: request.request, submitter: request.submitter)
        if let launch = submission.launch { origins[request.number] = launch }
        var (sure, _) = refusals(of: submission)
        // A submission that waited is judged by the state of its launch at its submission.
        if let waiting, fromForeground.contains(waiting.reply) { sure.remove(.notInForeground) }
        if !sure.isEmpty { complain("\(request.request.identifier) is accepted in spite of \(sure)") }
        if let owner = owner(of: submission), owner != request.plugin {
            complain("\(request.request.identifier) of \(owner) is taken for \(request.plugin)")
        }
        if request.request.kind == .continued, request.request.earliestBegin != nil {
            complain("\(request.request.identifier) is continued and keeps its date")
        }
    }

    /// The unanswered submission from which the accepted request comes; nil if there is none.
    private func waitingSubmission(of request: PendingRequest) -> (submission: Submission, reply: ReplyToken)? {
        let questions = questions.sorted { $0.key.rawValue < $1.key.rawValue }
        for case (let reply, .submitted(let submission, _)) in questions
        where submission.submitter == request.submitter {
            let (asked, accepted) = (submission.request, request.request)
            // A continued request is accepted without its earliest begin.
            let isContinued = asked.kind == .continued && asked.continued == accepted.continued
            if asked == accepted || isContinued && asked.identifier == accepted.identifier {
                return (submission, reply)
            }
        }
        return nil
    }

    func judge(_ refusal: SubmissionRefusal, of submission: Submission, _ reply: ReplyToken) {
        if refusal.subReason == .notRecorded { return }
        var (sure, perhaps) = refusals(of: submission)
        if fromForeground.contains(reply) { sure.remove(.notInForeground) }
        if sure.union(perhaps).contains(refusal.subReason) { return }
        complain("\(submission.request.identifier) is refused (\(refusal.subReason.name)); right would be \(sure)")
    }

    /// All reasons for a refusal. `sure` has the certain ones, `perhaps` the possible ones, such as those that depend
    /// on commits in flight.
    func refusals(of submission: Submission) -> (
        sure: Set<SubmissionRefusal.SubReason>, perhaps: Set<SubmissionRefusal.SubReason>
    ) {
        if isStopping { return ([.hostStopping], []) }
        let submitter = refusals(ofSubmitter: submission)
        guard let owner = owner(of: submission), let entry = entry(owner), entry.role == .main else {
            // The main plugin of a removed extension may be unknown.
            return (submitter.union([.identifierNotPermitted]), [.pluginMissing, .notItsMainPlugin])
        }
        let request = submission.request
        var sure = submitter
        if let deadline = request.expiresAt, deadline <= max(now.wall, request.earliestBegin ?? now.wall) {
            sure.insert(.deadlinePassed)
        }
        if request.kind == .event { return (sure.union([.identifierNotPermitted]), []) }
        sure.formUnion(refusals(of: request, by: entry))
        var perhaps: Set<SubmissionRefusal.SubReason> = []
        let limit = limitRefusal(of: request, by: owner)
        if limit.isSure { sure.insert(limit.reason) } else if limit.isPossible { perhaps.insert(limit.reason) }
        if request.kind == .continued {
            if !isForeground(submission) { sure.insert(.notInForeground) }
            if let terms = request.continued, !terms.resources.isSubset(of: conditions.resources) {
                sure.insert(.resourcesUnsupported)
            }
            if request.continued?.strategy == .fail { perhaps.insert(.noCapacityNow) }
            if request.continued?.strategy == .fail, cannotRunAtOnce(submission, owner) { sure.insert(.noCapacityNow) }
        }
        return (sure, perhaps)
    }

    private func refusals(ofSubmitter submission: Submission) -> Set<SubmissionRefusal.SubReason> {
        guard case .plugin(let plugin) = submission.submitter, let main = mainPlugin(of: plugin) else { return [] }
        var refusals: Set<SubmissionRefusal.SubReason> = []
        if !policy(plugin).isEnabled { refusals.insert(.submitterMayNotSchedule) }
        guard let mainEntry = entry(main) else { return refusals.union([.pluginMissing]) }
        if !mainEntry.extensions.contains(plugin) { refusals.insert(.notItsMainPlugin) }
        return refusals
    }

    private func owner(of submission: Submission) -> PluginIdentifier? {
        if case .plugin(let plugin) = submission.submitter { return mainPlugin(of: plugin) ?? plugin }
        return owner(of: submission.request.identifier)
    }

    /// The installed main plugin that permits an identifier; nil if there is none.
    func owner(of identifier: TaskIdentifier) -> PluginIdentifier? {
        if let plugin = identifier.pushedPlugin { return plugin }
        let mains = host.installed.filter { $0.role == .main }
        return mains.first { $0.permitted.contains(.exact(identifier)) }?.identifier
            ?? mains.first { $0.permitted.contains { $0.covers(identifier) } }?.identifier
    }

    /// Refusals by the operator's configuration of the plugin, and by missing permissions of the manifest (statements 2
    /// to 7, 9 and 10).
    private func refusals(of request: TaskRequest, by entry: PluginEntry) -> Set<SubmissionRefusal.SubReason> {
        var refusals: Set<SubmissionRefusal.SubReason> = []
        let policy = policy(entry.identifier)
        if !policy.isEnabled { refusals.insert(.pluginDisabled) }
        if policy.isBackgroundDenied, request.kind != .continued { refusals.insert(.backgroundDenied) }
        if request.kind == .refresh, !configuration.isBackgroundRefreshOn || !policy.isBackgroundRefreshOn {
            refusals.insert(.backgroundRefreshOff)
        }
        switch obstacle(ofPermissionTo: request, by: entry) {
        case "identifier-not-permitted": refusals.insert(.identifierNotPermitted)
        case "mode-missing" where request.kind == .push: refusals.insert(.remoteNotificationModeMissing)
        case "mode-missing": refusals.insert(request.kind == .refresh ? .fetchModeMissing : .processingModeMissing)
        case "entitlement-missing": refusals.insert(.entitlementMissing)
        default: break
        }
        return refusals
    }

    /// The refusal by a limit of pending requests (C5). It is certain only while no commit is in flight and every ended
    /// launch of the plugin is on disk.
    private func limitRefusal(
        of request: TaskRequest,
        by plugin: PluginIdentifier
    ) -> (reason: SubmissionRefusal.SubReason, isSure: Bool, isPossible: Bool) {
        if request.kind == .push { return (.refreshLimit, false, false) }
        let counts = { (kind: TaskKind) in kind.isProcessing ? TaskKind.processing : kind }
        let kind = counts(request.kind)
        let limits = policy(plugin).limits ?? configuration.limits
        let limit = kind == .refresh ? limits.refresh : kind == .processing ? limits.processing : limits.continued
        let reason: SubmissionRefusal.SubReason =
            kind == .refresh ? .refreshLimit : kind == .processing ? .processingLimit : .continuedLimit
        let same = host.ledger.requests.filter { $0.plugin == plugin && counts($0.request.kind) == kind }
        let replaces = same.contains { $0.request.identifier == request.identifier }
        let others = same.count { $0.request.identifier != request.identifier }
        let isCertain =
            underWay.isEmpty && !launches.values.contains { $0.plugin == plugin && $0.isConcluded }
            && !same.contains { $0.isOverdue(at: now.wall) }
        if isCertain { return (reason, !replaces && others >= limit, false) }
        return (reason, false, true)
    }

    /// Whether the submission is from the foreground: by a user, or from a launch that a user or a trigger started or
    /// that has a continued task (C8).
    func isForeground(_ submission: Submission) -> Bool {
        switch submission.submitter {
        case .user: return true
        case .schedule: return false
        case .plugin:
            guard let launch = submission.launch.flatMap({ launches[$0] }) else { return false }
            return launch.isForeground || launch.tasks.contains(where: \.isContinued)
        }
    }

    /// Number of uncommitted continued requests that will use capacity. A request from a continued launch may join the
    /// launch until it stops, and needs none.
    private var continuedComing: Int {
        let requests = underWay.filter { $0.key != asking }.values.joined().compactMap { change in
            if case .storeRequest(let request, _) = change, request.request.kind == .continued { request } else { nil }
        }
        return requests.count { request in
            guard let launch = origins[request.number].flatMap({ launches[$0] }) else { return true }
            return launch.lane != .continued || launch.plugin != request.plugin || launch.stopKillTime != nil
        }
    }

    /// Whether a continued request cannot run at once (statement 74). Running, prepared and uncommitted launches use
    /// capacity.
    private func cannotRunAtOnce(_ submission: Submission, _ owner: PluginIdentifier) -> Bool {
        let request = PendingRequest(
            plugin: owner,
            number: SubmissionNumber(rawValue: .max),
            request: submission.request,
            submitter: submission.submitter,
            submittedAt: now.wall
        )
        let joins =
            submission.launch.flatMap { launches[$0] }
            .map { $0.lane == .continued && $0.plugin == owner && $0.stopKillTime == nil } ?? false
        let taken =
            capacityUsed(in: .continued) + prepared(in: .continued).count + coming(into: .continued)
            + continuedComing
        let isFull = taken >= configuration.continuedLaunches
        return isFull && !joins || !obstacles(to: .request(request)).sure.subtracting(["earliest-begin"]).isEmpty
    }
}
