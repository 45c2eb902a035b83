// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A push that waits for the result of a change in flight, with its sender.
struct WaitingPush: Sendable {
    let push: Push
    /// The call with the push, and the calls that repeat it.
    var replies: [ReplyToken]
    let user: CallingUser?
}

// Background pushes (statement 85): at most one waits for each plugin, and the newest replaces it. The answer is sent
// after the commit.
extension Scheduler {
    /// Accepts or refuses a push.
    ///
    /// One change of a plugin's waiting push is in flight at a time. Pushes that arrive meanwhile are accepted together
    /// afterwards, behind the launch of the stored push: a sender without pauses delays neither the delivery nor the
    /// deadline of a push.
    mutating func push(_ push: Push, reply: ReplyToken, at now: Moment) {
        if let answer = answer(toRepetition: push, at: now) { return emit(.answer(reply, answer)) }
        if let refusal = refusal(of: push) { return emit(.answer(reply, .refused(refusal))) }
        waitingPushes[push.plugin, default: []].append(WaitingPush(push: push, replies: [reply], user: callingUser))
    }

    /// Accepts the waiting pushes of each plugin without a change of its push in flight. Called after each event, when
    /// all else that the event allows is staged.
    mutating func acceptWaitingPushes(at now: Moment) {
        if waitingPushes.isEmpty { return }
        for plugin in waitingPushes.count > 1 ? waitingPushes.keys.sorted() : Array(waitingPushes.keys) {
            let identifier = TaskIdentifier.push(to: plugin)
            guard plugins.contains(plugin) else {
                refuseWaitingPushes(of: plugin, .pushWithoutPlugin(plugin, problem: nil))
                continue
            }
            // The change about the push stays in flight while its commit fails, and senders do not wait for that.
            if isPushEndUnrecorded(of: plugin) {
                let cause = "the end of the plugin's last push could not be recorded; see \"bgtask doctor\""
                refuseWaitingPushes(of: plugin, .notRecorded("push", because: cause))
                continue
            }
            if plugins[plugin].requests.isInFlight(identifier) || waiting.closes(identifier, of: plugin) { continue }
            accept(waitingPushes.removeValue(forKey: plugin) ?? [], for: plugin, at: now)
        }
    }

    private mutating func refuseWaitingPushes(of plugin: PluginIdentifier, _ refusal: SubmissionRefusal) {
        for waiting in waitingPushes.removeValue(forKey: plugin) ?? [] { answer(waiting, .refused(refusal)) }
    }

    private mutating func answer(_ waiting: WaitingPush, _ answer: Answer) {
        for reply in waiting.replies { emit(.answer(reply, answer)) }
    }

    /// Refuses all waiting pushes, because the host stops. A launch that ends during the stop would else keep them.
    mutating func refuseWaitingPushes() {
        for plugin in waitingPushes.keys.sorted() { refuseWaitingPushes(of: plugin, .pushDuringStop) }
    }

    /// Stages the newest push whose deadline has not passed, and the end of the others.
    private mutating func accept(_ arrived: [WaitingPush], for plugin: PluginIdentifier, at now: Moment) {
        var pushes: [WaitingPush] = []
        for waiting in arrived.withRepetitionsJoined() {
            if let first = answer(toRepetition: waiting.push, at: now) {
                answer(waiting, first)
            } else if let refusal = refusal(of: waiting.push) {
                // The plugin may have changed since the push arrived.
                answer(waiting, .refused(refusal))
            } else {
                pushes.append(waiting)
            }
        }
        if pushes.isEmpty { return }
        // Each entry of the commit has the user of its own push.
        let presentUser = callingUser
        defer { callingUser = presentUser }
        callingUser = nil
        let old = plugins[plugin].requests[.push(to: plugin)].map(presented)
        let requests = pushes.map { request(of: $0.push, replacing: old, at: now) }
        stage(pushes, as: requests, replacing: old, at: now)
    }

    private mutating func request(of push: Push, replacing old: PendingRequest?, at now: Moment) -> PendingRequest {
        PendingRequest(
            plugin: push.plugin,
            number: nextSubmission(),
            request: push.request(at: now.wall),
            submitter: .user,
            submittedAt: now.wall,
            // A push inherits the attempts of an interrupted one, so that a sender does not restart a plugin that
            // crashes for ever, and its freedom from the spacing, because nothing was delivered.
            retry: old?.retry ?? Retry(),
            // A push inherits the deferral of the waiting one, so that a steady sender does not delay the delivery.
            deferredSince: old?.deferredSince
        )
    }

    /// Stages pushes for one plugin in one commit.
    ///
    /// - Parameter old: the waiting push; nil without one.
    private mutating func stage(
        _ pushes: [WaitingPush],
        as requests: [PendingRequest],
        replacing old: PendingRequest?,
        at now: Moment
    ) {
        guard let plugin = requests.first?.plugin else { return }
        let numbered = zip(pushes, requests).map { push, request in
            NumberedPush(push: push, request: request, isLapsed: lapsesAtOnce(push.push, request, at: now))
        }
        let stored = numbered.last { !$0.isLapsed }
        let lines = journal(numbered, storing: stored, replacing: old, at: now)
        var changes = lines.changes
        if let stored { changes.insert(.storeRequest(stored.request, payload: stored.push.push.payload), at: 0) }
        let last = stored?.request
        let change = inFlight.nextChange()
        let answers = numbered.map { push in
            let result = PushResult(of: push.request, isLapsed: push.isLapsed, stored: last, replacing: old)
            return StagedPushes.Answer(
                replies: push.push.replies,
                number: push.request.number,
                result: result,
                expiresAt: push.request.request.expiresAt
            )
        }
        let answered = zip(numbered, answers).compactMap { push, answer in push.kept(answer, at: now.wall) }
        let kept = recorded(answered, of: plugin, at: now)
        changes += kept.changes(of: plugin)
        let effect: RequestEffect = last.map { .stores($0) } ?? .storesNothing
        plugins[plugin].requests.begin(effect, about: .push(to: plugin), as: change)
        let staged = StagedPushes(
            plugin: plugin,
            stored: last,
            answers: answers,
            sums: lines.sums,
            kept: kept,
            change: change
        )
        stage(.pushes(staged), changes)
        if let last { prepareLaunch(for: last, during: change, at: now) }
    }

    /// Whether a push lapses when it is accepted: its deadline has passed, or it had to start at once and cannot.
    private func lapsesAtOnce(_ push: Push, _ request: PendingRequest, at now: Moment) -> Bool {
        request.isOverdue(at: now.wall) || push.isOnlyNow && !canStart(request, at: now)
    }

    // MARK: Settling

    mutating func settle(_ pushes: StagedPushes, at now: Moment) {
        isLedgerFailing = false
        let plugin = pushes.plugin
        let identifier = TaskIdentifier.push(to: plugin)
        if let request = pushes.stored {
            let replaced = plugins[plugin].requests[identifier]
            place(request, at: now)
            if let replaced { plugins[plugin].requests.replacements.add(request, replacing: replaced, at: now.wall) }
            supersede(by: request)
        }
        plugins[plugin].requests.end(pushes.change, about: identifier)
        note(pushes.sums, of: plugin, at: now)
        note(pushes.kept, of: plugin, at: now)
        for answer in pushes.answers {
            for reply in answer.replies {
                emit(.answer(reply, .pushed(answer.number, answer.result, expiresAt: answer.expiresAt)))
            }
        }
        resumeOperations(of: plugin, at: now)
        if let request = pushes.stored { startPrepared(after: pushes.change, of: request, at: now) }
        considerRequests(of: plugin, at: now)
    }

    mutating func rollBack(_ pushes: StagedPushes, because message: String, at now: Moment) {
        isLedgerFailing = true
        let plugin = pushes.plugin
        plugins[plugin].requests.end(pushes.change, about: .push(to: plugin))
        for reply in pushes.answers.flatMap(\.replies) {
            emit(.answer(reply, .refused(.notRecorded("push", because: message))))
        }
        resumeOperations(of: plugin, at: now)
        if let request = pushes.stored { startPrepared(after: pushes.change, of: request, at: now) }
        considerRequests(of: plugin, at: now)
    }

    // MARK: Refusals

    /// The refusal of a push; nil when it is accepted.
    private func refusal(of push: Push) -> SubmissionRefusal? {
        if isStopping { return .pushDuringStop }
        let plugin = push.plugin
        guard plugins.contains(plugin), let entry = plugins[plugin].entry else {
            return .pushWithoutPlugin(plugin, problem: plugins.contains(plugin) ? plugins[plugin].refusal : nil)
        }
        if let main = entry.containingPlugin { return .pushToExtension(plugin, of: main) }
        return SubmissionRules.refusal(
            of: push.request,
            for: entry,
            isPermitted: true,
            pending: nil,
            under: configuration
        )
    }
}

extension SubmissionRefusal {
    fileprivate static var pushDuringStop: Self {
        .hostStopping(remedy: "send the push again after the host's restart")
    }
}

extension PushResult {
    /// The result of one push of a commit.
    ///
    /// - Parameters:
    ///   - stored: the push that the commit stores; nil when it stores none.
    ///   - old: the push that waited before.
    fileprivate init(of push: PendingRequest, isLapsed: Bool, stored: PendingRequest?, replacing old: PendingRequest?) {
        if isLapsed {
            self = .lapsed
        } else if let stored, stored.number != push.number {
            self = .replaced(by: stored.number)
        } else {
            self = .stored(replacing: old?.number)
        }
    }
}

/// A push that one commit accepts, as a request with its number.
struct NumberedPush {
    let push: WaitingPush
    let request: PendingRequest
    let isLapsed: Bool

    /// The push with its answer, for repetitions; nil when its sender gave it no identifier.
    func kept(_ answer: StagedPushes.Answer, at now: WallTime) -> AnsweredPush? {
        push.push.identity.map { identity in
            AnsweredPush(
                identity: identity,
                number: answer.number,
                result: answer.result,
                expiresAt: answer.expiresAt,
                at: now
            )
        }
    }
}

extension [WaitingPush] {
    /// The pushes without repetitions, whose calls are joined with that of the first push.
    fileprivate func withRepetitionsJoined() -> [WaitingPush] {
        var pushes: [WaitingPush] = []
        var places: [PushIdentity: Int] = [:]
        for waiting in self {
            if let identity = waiting.push.identity {
                if let place = places[identity] {
                    pushes[place].replies += waiting.replies
                    continue
                }
                places[identity] = pushes.count
            }
            pushes.append(waiting)
        }
        return pushes
    }
}

extension [NumberedPush] {
    /// The pushes of each user, in order of the users' first pushes. The pushes of one user may come from several
    /// programs.
    func groupedByUser() -> [[NumberedPush]] {
        var users: [UInt32?] = []
        for push in self where !users.contains(push.push.user?.uid) { users.append(push.push.user?.uid) }
        return users.map { user in filter { $0.push.user?.uid == user } }
    }
}
