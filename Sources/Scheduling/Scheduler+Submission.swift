// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The recipient of a submission's answer.
enum SubmissionAsker: Hashable, Sendable {
    case caller(ReplyToken)
    /// The operator's schedule for the plugin. A refusal is journaled.
    case schedule(of: PluginIdentifier, occurrence: WallTime)
    /// The bound function of a task, which takes the transfer as an argument. A refusal is journaled, and the argument
    /// is NULL.
    case function(of: PluginIdentifier, for: TaskIdentifier)
}

// Submission of requests: acceptance, refusal, replacement. The answer is sent after the commit.
extension Scheduler {
    /// Accepts or refuses a submission.
    ///
    /// - Parameter isForeground: whether the submitting launch was in the foreground at the submission; nil to use its
    ///   present state.
    mutating func submit(
        _ submission: Submission,
        for asker: SubmissionAsker,
        isForeground: Bool? = nil,
        at now: Moment
    ) {
        let isForeground = isForeground ?? self.isForeground(submission)
        let identifier = submission.request.identifier
        let owner: PluginIdentifier
        switch self.owner(of: submission) {
        case .success(let plugin): owner = plugin
        case .failure(let refusal): return refuse(submission, because: refusal, asker, at: now)
        }
        // A cancellation that waits for a commit would wait without end if newer requests went first.
        if waiting.closes(identifier, of: owner) {
            return waiting.add(
                .submit(submission, asker, isForeground: isForeground),
                by: callingUser,
                for: owner
            )
        }
        if let refusal = refusal(of: submission, by: owner, isForeground: isForeground, at: now) {
            return refuse(submission, because: refusal, asker, at: now)
        }
        let request = PendingRequest(
            plugin: owner,
            // The identifier of a transfer has its number already.
            number: identifier.transfer?.number ?? nextSubmission(),
            request: submission.request.normalized,
            submitter: submission.submitter,
            submittedAt: now.wall,
            retry: Retry(setbacks: submission.transfer == nil ? 0 : relaunches(before: submission.launch, at: now))
        )
        stage(request, of: submission, for: asker, at: now)
    }

    /// The plugin and the replaced request of a submission by a user, if it were made now. Nothing changes.
    package func check(
        _ submission: Submission,
        at now: Moment
    ) -> Result<(plugin: PluginIdentifier, replaced: SubmissionNumber?), SubmissionRefusal> {
        owner(of: submission).flatMap { owner in
            let isForeground = isForeground(submission)
            if let refusal = refusal(of: submission, by: owner, isForeground: isForeground, at: now) {
                return .failure(refusal)
            }
            return .success((owner, plugins[owner].requests.expected(submission.request.identifier)?.number))
        }
    }

    private func refusal(
        of submission: Submission,
        by owner: PluginIdentifier,
        isForeground: Bool,
        at now: Moment
    ) -> SubmissionRefusal? {
        let (identifier, kind) = (submission.request.identifier, submission.request.kind)
        guard let entry = plugins[owner].entry else { return .notPermitted(identifier) }
        if let refusal = SubmissionRules.deadlineRefusal(of: submission.request.normalized, at: now.wall) {
            return refusal
        }
        if let refusal = claimRefusal(of: submission.request, by: owner) { return refusal }
        let requests = plugins[owner].requests
        let old = requests.expected(identifier)
        // A replacement of the same kind is accepted even if requeued tasks exceed the limit. This requires that the
        // replaced request is on disk, because another one may never have been counted.
        let isReplacement =
            old.map { $0.request.kind.countedAs == kind.countedAs && requests.isOnDisk($0) } ?? false
        let refusal = SubmissionRules.refusal(
            of: submission.request,
            for: entry,
            isPermitted: requests.isPermitted(identifier, as: kind),
            pending: isReplacement || kind == .transfer
                ? nil : requests.count(of: kind, beside: identifier),
            isForeground: isForeground,
            on: conditions,
            under: configuration
        )
        if let refusal { return refusal }
        return kind == .transfer
            ? limitRefusal(ofTransferBy: owner, at: now) : capacityRefusal(of: submission, for: owner, at: now)
    }

    private mutating func refuse(
        _ submission: Submission,
        because refusal: SubmissionRefusal,
        _ asker: SubmissionAsker,
        at now: Moment
    ) {
        switch asker {
        case .caller(let reply): emit(.answer(reply, .refused(refusal)))
        case .schedule(let plugin, let occurrence):
            missOccurrence(occurrence, of: submission.request.identifier, plugin, because: refusal, at: now)
        case .function(let plugin, let identifier):
            noteRefusedDownload(for: identifier, of: plugin, because: refusal, at: now)
        }
    }

    /// The refusal of a request that may not wait: of a continued request with the strategy `fail` that cannot run now
    /// (statements 72 to 74), and of a request that has to start soon and cannot. Nil when it can be accepted.
    private func capacityRefusal(of submission: Submission, for owner: PluginIdentifier, at now: Moment)
        -> SubmissionRefusal?
    {
        let request = submission.request
        let isOnlyNow = request.continued?.strategy == .fail
        guard isOnlyNow || submission.isOnlyIfSoon else { return nil }
        let pending = PendingRequest(
            plugin: owner,
            number: lastSubmission,
            request: request.normalized,
            submitter: submission.submitter,
            submittedAt: now.wall
        )
        let obstacle =
            isOnlyNow
            ? obstacles(toNew: pending, from: submission.launch, at: now).first
            : obstacle(toSoonStartOf: pending, from: submission.launch, at: now)
        guard let obstacle else { return nil }
        // The remedy of an advisory reason is for a pending request.
        let remedy = obstacle.isAdvisory ? "submit it again later" : obstacle.remedy
        let (problem, choice) =
            isOnlyNow ? ("run at once", "with strategy queue") : ("start soon", "without only_if_soon")
        return SubmissionRefusal(
            code: .immediateRunIneligible,
            subReason: .noCapacityNow,
            message: "\(request.identifier) cannot \(problem): \(obstacle.message); \(remedy), or submit it \(choice)"
        )
    }

    /// Whether a continued request that `launch` submits needs capacity. It needs none when it may join this launch and
    /// the launch is in the continued lane. A stopping launch takes no task.
    func needsCapacity(from launch: LaunchNumber?, for owner: PluginIdentifier) -> Bool {
        guard let origin = launch.flatMap(launches.find), !launches.isStopping(origin.number) else { return true }
        return origin.lane != .continued || origin.plugin != owner
    }

    func isForeground(_ submission: Submission) -> Bool {
        switch submission.submitter {
        case .user: true
        case .schedule: false
        case .plugin: submission.launch.flatMap(launches.find)?.execution?.isForeground ?? false
        }
    }

    private mutating func stage(
        _ request: PendingRequest,
        of submission: Submission,
        for asker: SubmissionAsker,
        at now: Moment
    ) {
        let (plugin, identifier) = (request.plugin, request.request.identifier)
        let (old, isInFlight) = plugins.read(plugin) { state in
            let requests = state.pointee.requests
            return (requests.expected(identifier), requests.isInFlight(identifier))
        }
        var changes: [LedgerChange] = [.storeRequest(request, payload: submission.payload)]
        let journal = lines(of: request, replacing: old, from: submission.launch, at: now)
        changes += journal.changes
        if case .schedule(_, let occurrence) = asker {
            // The occurrence is committed together with its request, so that neither can be lost without the other.
            changes.append(.recordOccurrence(identifier, at: occurrence))
        }
        if request.submitter == .user, request.request.claim == nil {
            // Three runs again for a request that a user submits after an end that left a count.
            changes.append(.setStandstills(plugin, identifier, 0, of: request.number))
        }
        if let transfer = transfer(of: request, described: submission.transfer) {
            transfers[plugin, default: OpenTransfers()].begin(transfer)
            changes.append(.storeTransfer(transfer))
        }
        changes += droppingDownloads(before: request)
        // In the commit of the request: after a crash no later decision mistakes such a file for one of this request.
        let taken = numbers(ofFilesFor: identifier, request.request.kind, of: plugin)
        changes += taken.map { .takeTransfer(plugin, $0) }
        if submission.restarts { changes.append(.restart(plugin, identifier, of: request.number)) }
        let change = inFlight.nextChange()
        plugins[plugin].requests.begin(.stores(request), about: identifier, as: change)
        hold(request)
        let staged = StagedSubmission(
            request: request,
            replaced: old?.number,
            asker: asker,
            origin: submission.launch,
            change: change,
            lines: journal.lines,
            takesCapacity: request.request.kind == .continued && needsCapacity(from: submission.launch, for: plugin),
            taken: taken
        )
        stage(.submission(staged), changes)
        if !isInFlight { prepareLaunch(for: request, during: change, at: now) }
    }

    // MARK: Settling

    mutating func settle(_ submission: StagedSubmission, at now: Moment) {
        isLedgerFailing = false
        let request = submission.request
        let (plugin, identifier) = (request.plugin, request.request.identifier)
        let replaced = plugins[plugin].requests[identifier]
        transfers[plugin]?.recorded(request.number)
        // An earlier commit failed: the journal names a replaced request that never was pending, so the right one is
        // added.
        if let replaced, replaced.number != submission.replaced {
            keep([.journal(.replacement(of: replaced, by: request, at: now))])
        }
        forgetFiles(submission.taken, of: plugin)
        place(request, at: now)
        if let replaced { plugins[plugin].requests.replacements.add(request, replacing: replaced, at: now.wall) }
        plugins[plugin].requests.end(submission.change, about: identifier)
        supersede(by: request)
        switch submission.asker {
        case .caller(let reply):
            emit(.answer(reply, .submitted(request.number, plugin: plugin, replacing: replaced?.number)))
        case .schedule(_, let occurrence): settleOccurrence(occurrence, of: identifier, plugin, at: now)
        case .function: break
        }
        if let origin = submission.origin, request.request.kind == .continued, launches.find(origin) != nil {
            plugins[plugin].origins[request.number] = origin
        }
        resumeOperations(of: plugin, at: now)
        // Work of a fleet has a user as its submitter too: that of the feeder.
        let isUse = request.submitter == .user || request.request.kind == .continued
        if isUse, request.request.claim == nil { noteUse(of: plugin, at: now) }
        startPrepared(after: submission.change, of: request, at: now)
        considerRequests(of: plugin, at: now)
    }

    mutating func rollBack(_ submission: StagedSubmission, because message: String, at now: Moment) {
        isLedgerFailing = true
        let request = submission.request
        let (plugin, identifier) = (request.plugin, request.request.identifier)
        plugins[plugin].requests.end(submission.change, about: identifier)
        let transfer = transfers[plugin]?[request.number]
        forgetTransfer(request.number, of: plugin)
        giveBack(submission.lines, of: submission.origin)
        switch submission.asker {
        case .caller(let reply): emit(.answer(reply, .refused(.notRecorded("request", because: message))))
        case .schedule: rollBackOccurrence(of: identifier, plugin, at: now)
        case .function(let plugin, let identifier):
            let refusal = SubmissionRefusal.notRecorded("request", because: message)
            noteRefusedDownload(for: identifier, of: plugin, because: refusal, at: now)
            if let transfer { downloadEnded(transfer, at: now) }
        }
        resumeOperations(of: plugin, at: now)
        startPrepared(after: submission.change, of: request, at: now)
        considerRequests(of: plugin, at: now)
    }

    /// Prevents the requeueing of older running tasks of the identifier. A task whose end is already being committed is
    /// not affected (C3).
    mutating func supersede(by request: PendingRequest) {
        let (identifier, newer) = (request.request.identifier, request.number)
        for number in launches.numbers(of: request.plugin) {
            supersede(identifier, by: newer, in: number)
            launches.update(number) { launch in
                launch.withTasks { tasks in
                    for index in tasks.indices
                    where tasks[index].work.identifier == identifier && tasks[index].work.number < newer {
                        tasks[index].successor = newer
                    }
                }
            }
        }
    }
}

extension TaskRequest {
    /// The request without the fields that a continued request ignores: it keeps identifier, kind, deadline,
    /// continued terms and claim, so that it begins at once (statement 72). A request of another kind is returned
    /// unchanged.
    package var normalized: TaskRequest {
        guard kind == .continued else { return self }
        return TaskRequest(identifier: identifier, kind: kind, expiresAt: expiresAt, continued: continued, claim: claim)
    }
}
