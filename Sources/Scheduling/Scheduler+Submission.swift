// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Requests on their way in: accepted or refused, replaced; answered once the ledger has them.
extension Scheduler {
    mutating func submit(_ submission: Submission, for asker: SubmissionAsker, at now: Moment) {
        let identifier = submission.request.identifier
        let owner: PluginIdentifier
        switch self.owner(of: submission) {
        case .success(let plugin): owner = plugin
        case .failure(let refusal): return refuse(submission, because: refusal, asker, at: now)
        }
        // No copy of the plugin's state is held here: the first change to one would copy all that it has pending.
        guard let entry = plugins[owner]?.entry else {
            return refuse(submission, because: .notPermitted(identifier), asker, at: now)
        }
        let old = plugins[owner]?.expected[identifier]
        let kind = submission.request.kind
        // One that takes the place of its like adds nothing, even where what returned is over the limit; but what is not on
        // disk yet may never have a place.
        let isReplacement = old.map { $0.request.kind.countedAs == kind.countedAs && isOnDisk($0) } ?? false
        let count = isReplacement ? nil : plugins[owner]?.expected.count(of: kind, beside: identifier)
        if let refusal = SubmissionRules.refusal(
            of: submission.request,
            for: entry,
            pending: count,
            under: configuration
        ) {
            return refuse(submission, because: refusal, asker, at: now)
        }
        if kind == .continued, let refusal = refusal(ofContinued: submission, for: owner, at: now) {
            return refuse(submission, because: refusal, asker, at: now)
        }
        lastSubmission = SubmissionNumber(rawValue: lastSubmission.rawValue + 1)
        let request = PendingRequest(
            plugin: entry.identifier,
            number: lastSubmission,
            request: submission.request.normalized,
            submitter: submission.submitter,
            submittedAt: now.wall
        )
        stage(request, of: submission, replacing: old, for: asker, at: now)
    }

    /// Pending, or about to return from a launch.
    private func isOnDisk(_ request: PendingRequest) -> Bool {
        if plugins[request.plugin]?.pending[request.request.identifier]?.number == request.number { return true }
        return launches.values.contains { launch in
            launch.plugin == request.plugin && launch.record.returning.contains { $0.number == request.number }
        }
    }

    private mutating func refuse(
        _ submission: Submission,
        because refusal: Refusal,
        _ asker: SubmissionAsker,
        at now: Moment
    ) {
        switch asker {
        case .caller(let reply): emit(.answer(reply, .refused(refusal)))
        case .schedule(let plugin, let occasion):
            missOccasion(occasion, of: submission.request.identifier, plugin, because: refusal, at: now)
        }
    }

    /// Statements 72 to 75: a person started it, the machine has what it asks for, and with strategy fail it runs now.
    private func refusal(ofContinued submission: Submission, for owner: PluginIdentifier, at now: Moment) -> Refusal? {
        let request = submission.request
        if !isForeground(submission) { return SubmissionRules.foregroundRefusal(of: request) }
        if let refusal = SubmissionRules.resourceRefusal(of: request, on: conditions) { return refusal }
        guard request.continued?.strategy == .fail, let state = plugins[owner] else { return nil }
        let work = PendingWork.request(
            PendingRequest(
                plugin: owner,
                number: lastSubmission,
                request: request.normalized,
                submitter: submission.submitter,
                submittedAt: now.wall
            )
        )
        var occupancy = occupancy(of: .continued)
        occupancy.launchesInLane += continuedSubmissionsComing
        let obstacles = Eligibility.reasons(
            against: work,
            isBeingRecorded: false,
            isPersonsWish: false,
            needsRoom: needsRoom(from: submission.launch, for: owner),
            standing: standing(of: state, in: .continued),
            conditions: conditions,
            occupancy: occupancy,
            configuration: configuration,
            now: now
        )
        guard let first = obstacles.first else { return nil }
        return Refusal(
            code: .immediateRunIneligible,
            subReason: .noRoomNow,
            message: "\(request.identifier) cannot run at once: \(first.message); \(first.remedy), or submit it with"
                + " strategy queue"
        )
    }

    /// One more task of a continued launch takes no room of its own.
    private func needsRoom(from launch: LaunchNumber?, for owner: PluginIdentifier) -> Bool {
        guard let origin = launch.flatMap({ launches[$0] }) else { return true }
        return origin.lane != .continued || origin.plugin != owner
    }

    /// Accepted by commits under way: once these are known, each of them takes room.
    private var continuedSubmissionsComing: Int {
        staged.values.count { change in
            guard case .submission(let request, _, _, let launch) = change else { return false }
            return request.request.kind == .continued && needsRoom(from: launch, for: request.plugin)
        }
    }

    private func isForeground(_ submission: Submission) -> Bool {
        switch submission.submitter {
        case .person: true
        case .schedule: false
        case .plugin: submission.launch.flatMap { launches[$0]?.isForeground } ?? false
        }
    }

    private mutating func stage(
        _ request: PendingRequest,
        of submission: Submission,
        replacing old: PendingRequest?,
        for asker: SubmissionAsker,
        at now: Moment
    ) {
        var changes: [LedgerChange] = [.storeRequest(request, payload: submission.payload)]
        if let old {
            changes.append(.journal(.replacement(of: old, by: request, at: now)))
            changes += endWait(of: .request(old), at: now)
        }
        if case .schedule(_, let occasion) = asker {
            // With its request or not at all: neither can be missed for the other's sake.
            changes.append(.recordOccasion(request.request.identifier, at: occasion))
            occasionsUnderWay.insert(request.request.identifier)
        }
        stage(.submission(request, replacing: old?.number, for: asker, from: submission.launch), changes)
        plugins[request.plugin]?.expected.set(request)
        plugins[request.plugin]?.recording[request.request.identifier, default: 0] += 1
    }

    /// Who submits is judged as of now, whatever its launch was committed with (statement 36).
    private func refusal(ofExtension submitter: PluginIdentifier) -> Refusal? {
        guard let main = plugins[submitter]?.containingPlugin else { return nil }
        if !configuration.policy(for: submitter).isEnabled {
            return Refusal(
                code: .unavailable,
                subReason: .submitterMayNotSchedule,
                message: "extension \(submitter) is disabled by the operator and submits nothing;"
                    + " set plugins.\(submitter).enabled to true in the host's configuration"
            )
        }
        guard let entry = plugins[main]?.entry else {
            let problem = plugins[main]?.refusal.map { "has a manifest that is refused: \($0)" }
            return Refusal(
                code: .unavailable,
                subReason: .pluginMissing,
                message: "\(main), the main plugin of extension \(submitter), "
                    + (problem ?? "is not installed; install it again")
            )
        }
        if entry.extensions.contains(submitter) { return nil }
        return Refusal(
            code: .notPermitted,
            subReason: .notItsMainPlugin,
            message: "\(main) does not list \(submitter) among its extensions; add it to extensions in its manifest,"
                + " or to plugins.\(main).extensions in the host's configuration"
        )
    }

    /// The plugin that would be launched: the submitter itself, its main plugin, or the one that permits the identifier.
    private func owner(of submission: Submission) -> Result<PluginIdentifier, Refusal> {
        if isStopping { return .failure(.hostStopping(remedy: "submit again when it is back")) }
        let identifier = submission.request.identifier
        var owner = owners[identifier]
        if case .plugin(let submitter) = submission.submitter {
            if let refusal = refusal(ofExtension: submitter) { return .failure(refusal) }
            owner = mainPlugin(of: submitter)
        }
        if let owner, plugins[owner]?.entry?.role == .main { return .success(owner) }
        return .failure(.notPermitted(identifier))
    }
}

extension Refusal {
    fileprivate static func notPermitted(_ identifier: TaskIdentifier) -> Refusal {
        Refusal(
            code: .notPermitted,
            subReason: .identifierNotPermitted,
            message: "identifier \(identifier) is permitted by no installed plugin;"
                + " add it to permitted-identifiers in the manifest of the plugin that handles it"
        )
    }
}

/// Who hears what became of a submission.
enum SubmissionAsker: Hashable, Sendable {
    case caller(ReplyToken)
    /// The operator's, of that plugin: the journal is told of a refusal.
    case schedule(of: PluginIdentifier, occasion: WallTime)
}

extension TaskRequest {
    /// A continued request begins now, whatever date it carries (statement 72).
    fileprivate var normalized: TaskRequest {
        guard kind == .continued, earliestBegin != nil else { return self }
        return TaskRequest(identifier: identifier, kind: kind, continued: continued)
    }
}

extension JournalEntry {
    static func replacement(of old: PendingRequest, by new: PendingRequest, at now: Moment) -> JournalEntry {
        JournalEntry(
            old,
            .replaced,
            at: now,
            message: "submission \(old.number) was replaced by submission \(new.number) before it ran"
        )
    }

    /// What a submitter did to a request of its own.
    init(_ request: PendingRequest, _ event: Event, at now: Moment, message: String) {
        self.init(
            at: now.wall,
            event: event,
            plugin: request.plugin,
            label: request.request.identifier.text,
            submission: request.number,
            blame: .nobody,
            message: message
        )
    }
}
