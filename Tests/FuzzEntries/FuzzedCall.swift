// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import ControlAPI
internal import FoundationEssentials
internal import Scheduling
internal import TaskModel

/// One call with its path parameter and its body, as the routes of the host read them.
struct FuzzedCall {
    let route: Route
    let value: String
    let body: Data

    func problem() throws(RouteError) -> String? {
        switch route {
        case .taskSubmit: return try problem(of: TaskSubmission.reading(body, for: route))
        case .taskSubmitBatch: return try batch()
        case .pluginTrigger:
            let plugin = try PluginIdentifier(validating: value)
            let payload = try PluginTrigger.reading(body, for: route).validated()
            return answer { .triggered(Trigger(plugin: plugin, payload: payload), reply: $0) }
        case .pluginPush:
            let plugin = try PluginIdentifier(validating: value)
            let push = try PluginPush.reading(body, for: route).validated()
            if let alert = push.alert {
                let sent = Alert(
                    to: plugin,
                    from: PushSender(user: nil, name: []),
                    topic: alert.topic,
                    content: alert.content,
                    payload: push.payload,
                    isMutable: alert.isMutable
                )
                return answer { .alerted(sent, reply: $0) }
            }
            let sent = Push(
                to: plugin,
                payload: push.payload,
                expiresAt: push.expiresAt,
                isLowPriority: push.priority == .low,
                isOnlyNow: push.isOnlyNow
            )
            return answer { .pushed(sent, reply: $0) }
        case .taskCancel:
            let task = try TaskIdentifier(validating: value)
            return answer { .cancelRequested(task, of: nil, reply: $0) }
        case .taskStop:
            let task = try TaskIdentifier(validating: value)
            return answer { .taskStopRequested(task, reply: $0) }
        case .pluginPurge:
            let plugin = try PluginIdentifier(validating: value)
            return answer { .purgeRequested(plugin, reply: $0) }
        case .pluginPause:
            let plugin = try PluginIdentifier(validating: value)
            let end = try PluginPauseOrder.reading(body, for: route).validated(at: WallTime(nanoseconds: 0))
            return answer { .pauseRequested(plugin, until: end, reply: $0) }
        case .pluginResume:
            let plugin = try PluginIdentifier(validating: value)
            return answer { .resumeRequested(plugin, reply: $0) }
        case .launchStop:
            let launch = try LaunchNumber(validating: value)
            return answer { .launchStopRequested(launch, reply: $0) }
        case .transferPause, .transferResume:
            let transfer = try Self.transfer(value)
            return answer { .transferPauseRequested(transfer, isPaused: route == .transferPause, reply: $0) }
        case .transferCancel:
            let transfer = try Self.transfer(value)
            return answer { .cancelRequested(transfer, of: nil, reply: $0) }
        case .transferShow: _ = try Self.transfer(value)
        case .run:
            let tasks = try RunOrder.reading(body, for: route).validated()
            return answer { .runRequested(tasks, reply: $0) }
        case .simulateExpiration:
            let task = try ExpirationSimulation.reading(body, for: route).validated()
            return answer { .expirationSimulated(task, reply: $0) }
        case .backupReport: try BackupReport.reading(body, for: route).check()
        case .pushTokenIssue:
            _ = try PluginIdentifier(validating: value)
            _ = try PushTokenOrder.reading(body, for: route)
        case .pushTokenRevoke: _ = try PluginIdentifier(validating: value)
        case .pushTokenCheck: _ = try PushTokenCheck.reading(body, for: route).validated()
        case .simulateConditions: _ = try ConditionsSimulation.reading(body, for: route).validated()
        case .forecast: _ = try ForecastOrder.reading(body, for: route).validated(at: WallTime(nanoseconds: 0))
        case .pluginShow: _ = try PluginIdentifier(validating: value)
        case .taskWhy, .taskCursor, .taskCursorClear: _ = try TaskIdentifier(validating: value)
        case .taskRetry: _ = try RetrySubject(validating: value)
        case .launchShow: _ = try LaunchNumber(validating: value)
        case .leaseRenew:
            let name = try LeaseName.validated(value)
            let order = try LeaseOrder.reading(body, for: route)
            let renewal = LeaseRenewal(
                name,
                owner: 1,
                trust: try order.validated(),
                acknowledged: order.acknowledged
            )
            return answer { .leaseRenewed(renewal, reply: $0) }
        case .leaseDelete:
            let name = try LeaseName.validated(value)
            return answer { .leaseDeletionRequested(name, owner: 1, reply: $0) }
        case .leaseShow: _ = try LeaseName.validated(value)
        case .apiDescription, .hostStatus, .hostReload, .pluginList, .taskList, .scheduleList, .launchList,
            .transferList, .journal, .notificationList, .logs, .stats, .metrics, .capacity, .leaseList:
            break
        }
        return nil
    }

    /// The identifier of the transfer with a number, of a plugin of the scheduler.
    private static func transfer(_ number: String) throws(RouteError) -> TaskIdentifier {
        .transfer(
            try SubmissionNumber(validatingTransfer: number),
            of: try PluginIdentifier(validating: "com.example.app")
        )
    }

    /// The first flaw of the handling of a batch: each of its requests has to be valid by itself, or has to get a
    /// refusal that names it. Nil without a flaw.
    private func batch() throws(RouteError) -> String? {
        let batch = try TaskBatch.reading(body)
        for (index, entry) in zip(batch.requests, batch.validated()).enumerated() {
            let flaw: String?
            switch entry {
            case (.success(let submission), .success): flaw = try problem(of: submission, under: batch.lease)
            case (_, .failure(let refusal)):
                let isPlaced = refusal.reply.error.field?.hasPrefix("requests[\(index)]") == true
                flaw = isPlaced ? ControlEntry.flaw(of: refusal) : "a refusal in a batch does not name its request"
            case (.failure, .success): flaw = "a request of a batch is valid, but cannot be read"
            }
            if let flaw { return flaw }
        }
        return nil
    }

    private func problem(of submission: TaskSubmission, under lease: String? = nil) throws(RouteError) -> String? {
        let (request, payload) = try submission.validated(under: lease)
        // A client that submits the same request writes the same body, apart from the form of times.
        let written = TaskSubmission(request, payload: payload)
        if let flaw = ControlEntry.flaw(ofReply: written) { return flaw }
        let again = try written.validated(under: lease)
        if again.request != request || again.payload != payload {
            return "a submission changes when it is written again"
        }
        return answer { .submitted(Submission(request: request, payload: payload, submitter: .user), reply: $0) }
    }

    /// The flaw of a scheduler's answer to a call, or the message that there is no answer; nil for a correct answer.
    /// The scheduler has plugins and running tasks.
    private func answer(_ question: (ReplyToken) -> SchedulerEvent) -> String? {
        var host = FuzzedHost.atWork
        guard let answer = host.ask(question) else { return "a call has no answer" }
        if case .refused(let refusal) = answer { return ControlEntry.flaw(of: RouteError(refusal)) }
        return nil
    }
}
