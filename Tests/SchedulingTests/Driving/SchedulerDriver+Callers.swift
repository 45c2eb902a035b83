// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

// Requests of users, operators and plugins to the host. An answer is nil until the host sends it.
extension SchedulerDriver {
    @discardableResult
    func submit(
        _ identifier: TaskIdentifier,
        as kind: TaskKind = .processing,
        at earliestBegin: WallTime? = nil,
        after delay: Duration? = nil,
        until deadline: Duration? = nil,
        needsPower: Bool = false,
        needsNetwork: Bool = false,
        payload: [UInt8] = [],
        by submitter: Submitter = .plugin(.app)
    ) -> Answer? {
        let request = TaskRequest(
            identifier: identifier,
            kind: kind,
            earliestBegin: earliestBegin ?? delay.map { clock.now.wall + $0 },
            expiresAt: deadline.map { clock.now.wall + $0 },
            requiresNetwork: needsNetwork,
            requiresExternalPower: needsPower
        )
        return ask { .submitted(Submission(request: request, payload: payload, submitter: submitter), reply: $0) }
    }

    /// Sends a push to the sample plugin.
    ///
    /// - Parameter deadline: time until the deadline; nil for no deadline.
    @discardableResult
    func push(
        to plugin: PluginIdentifier = .app,
        until deadline: Duration? = nil,
        isLowPriority: Bool = false,
        isOnlyNow: Bool = false,
        payload: [UInt8] = [],
        identity: PushIdentity? = nil
    ) -> Answer? {
        let push = Push(
            to: plugin,
            payload: payload,
            expiresAt: deadline.map { clock.now.wall + $0 },
            isLowPriority: isLowPriority,
            isOnlyNow: isOnlyNow,
            identity: identity
        )
        return ask { .pushed(push, reply: $0) }
    }

    @discardableResult
    func changePushToken(
        of plugin: PluginIdentifier = .app,
        _ change: PushTokenChange,
        from launch: LaunchNumber? = nil
    ) -> Answer? {
        ask { .pushTokenChangeRequested(plugin, change, from: launch, reply: $0) }
    }

    @discardableResult
    func trigger(_ plugin: PluginIdentifier = .keyboard, payload: [UInt8] = []) -> Answer? {
        ask { .triggered(Trigger(plugin: plugin, payload: payload), reply: $0) }
    }

    @discardableResult
    func cancel(_ identifier: TaskIdentifier, of plugin: PluginIdentifier? = .app) -> Answer? {
        ask { .cancelRequested(identifier, of: plugin, reply: $0) }
    }

    @discardableResult
    func cancelAll(of plugin: PluginIdentifier = .app) -> Answer? { ask { .cancelAllRequested(of: plugin, reply: $0) } }

    @discardableResult
    func requestRun(of identifiers: TaskIdentifier...) -> Answer? {
        let numbers = ledger.requests.filter { identifiers.contains($0.request.identifier) }.map(\.number)
        let before = simulated
        simulated.formUnion(numbers)
        let answer = ask { .runRequested(identifiers, reply: $0) }
        if case .notLaunching = answer { simulated = before }
        return answer
    }

    @discardableResult
    func simulateExpiration(of identifier: TaskIdentifier) -> Answer? {
        ask { .expirationSimulated(identifier, reply: $0) }
    }

    func simulate(_ conditions: ScriptedConditions) {
        let event = SchedulerEvent.conditionsSimulated(conditions)
        send(caller.map { .byUser($0, event) } ?? event)
    }

    @discardableResult
    func clearCursor(of identifier: TaskIdentifier, _ plugin: PluginIdentifier = .app) -> Answer? {
        ask { .cursorClearRequested(identifier, of: plugin, reply: $0) }
    }

    @discardableResult
    func purge(_ plugin: PluginIdentifier) -> Answer? { ask { .purgeRequested(plugin, reply: $0) } }

    @discardableResult
    func pause(_ plugin: PluginIdentifier, until end: WallTime? = nil) -> Answer? {
        ask { .pauseRequested(plugin, until: end, reply: $0) }
    }

    @discardableResult
    func resume(_ plugin: PluginIdentifier) -> Answer? { ask { .resumeRequested(plugin, reply: $0) } }

    @discardableResult
    func stopLaunch(_ number: LaunchNumber) -> Answer? { ask { .launchStopRequested(number, reply: $0) } }

    func install(_ plugins: PluginEntry...) {
        let names = plugins.map(\.identifier)
        installed.removeAll { names.contains($0.identifier) }
        installed += plugins
        sendCatalogue()
    }

    func remove(_ plugin: PluginIdentifier) {
        installed.removeAll { $0.identifier == plugin }
        sendCatalogue()
    }

    /// Sends a catalogue in which a manifest of the plugin is refused.
    ///
    /// - Parameter isSecond: whether the refused manifest exists beside the installed one of the plugin.
    func refuse(_ plugin: PluginIdentifier, because problem: String, besidesItsOwn isSecond: Bool = false) {
        if !isSecond { installed.removeAll { $0.identifier == plugin } }
        sendCatalogue(refused: [plugin: problem])
    }

    /// Sends the difference between the catalogue sent last and the present one.
    ///
    /// - Parameters:
    ///   - problems: Problems of refused manifests; nil for those in `refused` of the driver.
    ///   - orphans: Refused plugins that lack only their main plugin.
    func sendCatalogue(refused problems: [PluginIdentifier: String]? = nil, orphans: Set<PluginIdentifier> = []) {
        var refusals: [PluginIdentifier: Catalogue.ManifestRefusal] = [:]
        for (plugin, problem) in problems ?? refused {
            refusals[plugin] = Catalogue.ManifestRefusal(problem: problem, isOrphan: orphans.contains(plugin))
        }
        let new = Catalogue(installed, refused: refusals)
        let change = CatalogueChange(from: catalogue, to: new)
        catalogue = new
        send(.catalogued(change))
    }

    /// The answer to the last call; nil until the scheduler sends it.
    var lastAnswer: Answer? { answers[ReplyToken(rawValue: lastReply)] }

    func ask(_ question: (ReplyToken) -> SchedulerEvent) -> Answer? {
        lastReply += 1
        let reply = ReplyToken(rawValue: lastReply)
        send(caller.map { .byUser($0, question(reply)) } ?? question(reply))
        return answers[reply]
    }
}

extension Answer {
    /// The number of the accepted request or event; nil for any other answer.
    var submission: SubmissionNumber? {
        switch self {
        case .submitted(let number, _, _), .triggered(let number), .pushed(let number, .stored, _): number
        default: nil
        }
    }

    var replaced: SubmissionNumber? { if case .submitted(_, _, let old) = self { old } else { nil } }
    var pushResult: PushResult? { if case .pushed(_, let result, _) = self { result } else { nil } }
    var expiresAt: WallTime? { if case .pushed(_, _, let deadline) = self { deadline } else { nil } }
    var plugin: PluginIdentifier? { if case .submitted(_, let plugin, _) = self { plugin } else { nil } }
    var refusal: SubmissionRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
    var isNotRecorded: Bool { if case .notRecorded = self { true } else { refusal?.subReason == .notRecorded } }

    /// The message of a simulation that had no effect; nil for any other answer.
    var failureMessage: String? {
        switch self {
        case .notLaunching(let message), .notRunning(let message): message
        default: nil
        }
    }
}
