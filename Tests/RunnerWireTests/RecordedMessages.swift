// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import TaskModel

/// The messages with recorded frames: at least one of each type. Kinds, lanes, causes, events, protection types,
/// strategies, log levels, expiration reasons and outcomes of completions are recorded with each of their numbers.
enum RecordedMessages {
    private static let call = CallNumber(rawValue: 7)
    private static let task = TaskID(rawValue: 0x0102_0304_0506_0708)
    private static let identifier = SampleMessages.identifier

    static let fromRunner: [RunnerMessage] =
        [
            .entered(
                status: -2,
                registered: [.exact(identifier), .pattern(prefix: identifier)],
                offersReceive: true
            ),
            .entered(status: 3, registered: [], offersReceive: false, cause: "register_handler: not permitted"),
            .registered(.exact(identifier)),
            .loadFailed(message: "cannot open it"),
            .ffiMissing(message: "libffi.so.8"),
            .sandboxFailed(message: "no"),
            .confined(),
            .confined(listener: 9),
            .completed(task, .success, message: "returned 0"),
            .expirationHandler(task, isSet: true),
            .cursorWritten(task, number: 9),
            .checkpoint(call, task, number: 9),
            .title(task, "Exporting", subtitle: nil),
            .title(task, "Exporting", subtitle: "3 of 12"),
            .fetchInterval(nil),
            .fetchInterval(.seconds(60)),
            .assertionBegan(AssertionID(rawValue: 3), name: "upload"),
            .assertionEnded(AssertionID(rawValue: 3)),
            .cancel(call, identifier),
            .cancelAll(call),
            .pending(call),
            .registerForPushes(call),
            .unregisterForPushes(call),
            .cancelTransfer(call, SubmissionNumber(rawValue: 9)),
            .transfers(call, of: nil),
            .transfers(call, of: SampleMessages.session),
            .transferTaken(SubmissionNumber(rawValue: 9)),
            .notificationContent(task, Array("{}".utf8)),
            .violation(.completedTwice, message: "completed twice"),
            .stopped,
        ] + [TaskProgress(done: 3, total: 12)].compactMap(\.self).map { .progress(task, $0) }
        + [.success, .failure, .noData].map { .completed(task, $0) }
        + (0...64).compactMap { ExpirationReason(rawValue: $0) }.map { .expiring([task], $0) }
        + (0...8).compactMap { LogLevel(rawValue: $0) }.map { .log($0, message: "line") } + [
            .log(.info, of: task, message: "line")
        ]
        + TaskKind.allCases.map { .submit(call, TaskRequest(identifier: identifier, kind: $0), payload: [1, 2]) }
        + ProtectionType.allCases.map { protection in
            let request = TaskRequest(
                identifier: identifier,
                kind: .healthResearch,
                earliestBegin: WallTime(nanoseconds: 5),
                expiresAt: WallTime(nanoseconds: 6),
                requiresNetwork: true,
                requiresExternalPower: true,
                protection: protection
            )
            return .submit(call, request, payload: [])
        }
        + SampleMessages.transfers.map {
            .beginTransfer(call, $0, earliestBegin: WallTime(nanoseconds: 5), expiresAt: nil)
        }
        + SampleMessages.transferEnds.map { .transferEnded(task, $0) }

    static let fromHost: [HostMessage] =
        [
            .plan(plan()),
            .plan(plan(deadline: nil)),
            .confine(Confinement(containerPath: "")),
            .confine(confinement(SampleMessages.bareSandbox)),
            .yieldCursor(task),
            .expireAssertions(.hostShutdown),
            .submitted(call, SubmissionNumber(rawValue: 9)),
            .refused(call, SubmissionRefusal(code: .unavailable, subReason: .notOffered, message: "not offered")),
            .cancelled(call, isRecorded: true),
            .cursorStored(call, isRecorded: true),
            .pushToken(call, nil),
            .pushToken(call, SampleMessages.pushToken),
            .transferBegun(call, SubmissionNumber(rawValue: 9)),
            .transfers(call, SampleMessages.listedTransfers),
            .pending(call, [ListedRequest(request: request, number: SubmissionNumber(rawValue: 9), payload: [3])]),
            .stop,
            .deliver(SampleMessages.claimedTask(Claim(item: 71, fence: 3, isBound: true))),
        ]
        + (0...64).compactMap { ExpirationReason(rawValue: $0) }.map { .expire([task], $0) }
        + SandboxPlan.Access.allCases.map { .confine(confinement(SampleMessages.sandbox($0))) }
        + Lane.allCases.map { .plan(plan(lane: $0)) }
        + (0...16).compactMap { LaunchCause(rawValue: $0) }.map { .plan(plan(cause: $0)) }
        + EventType.allCases.map { .deliver(SampleMessages.task(payload: [1], event: $0)) }
        + SubmissionStrategy.allCases.map { strategy in
            let terms = ContinuedTerms(title: "Exporting", subtitle: "3 of 12", strategy: strategy)
            return .deliver(SampleMessages.continuedTask(terms, payload: []))
        }

    private static let request = TaskRequest(
        identifier: identifier,
        kind: .continued,
        continued: ContinuedTerms(title: "Exporting")
    )

    /// Handlers with every kind of argument and of result, in few bytes.
    private static let handlers = SampleMessages.handlers.map { handler in
        var seen: Set<FunctionArgument> = []
        let arguments = handler.arguments.filter { argument in
            if case .bytes(let bytes) = argument, bytes.count > 8 { return false }
            return seen.insert(argument).inserted
        }
        return FunctionBinding(
            identifier: identifier,
            symbol: handler.symbol,
            arguments: arguments,
            result: handler.result
        )
    }

    private static func confinement(_ sandbox: SandboxPlan) -> Confinement {
        Confinement(
            user: 600_000,
            processLimit: 512,
            fileLimit: 1 << 30,
            nice: 10,
            containerPath: "/var/lib/bgtask/containers/com.example.colorfeed",
            sandbox: sandbox
        )
    }

    static func plan(
        lane: Lane = .background,
        cause: LaunchCause = .user,
        deadline: MonotonicTime? = MonotonicTime(nanoseconds: 30),
        gracePeriod: Duration = .seconds(5)
    ) -> RunnerPlan {
        RunnerPlan(
            launch: LaunchNumber(rawValue: 41),
            plugin: SampleMessages.plugin("com.example.colorfeed"),
            role: .main,
            lane: lane,
            cause: cause,
            libraryPath: "/usr/lib/bgtask/plugins/libColorFeed.so",
            libraryIdentity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5),
            isExamined: true,
            permitted: [.exact(identifier), .pattern(prefix: identifier)],
            modes: [.fetch, .processing],
            settings: ["feed-url": "https://example.com/feed.xml"],
            handlers: handlers,
            supportedResources: [.gpu],
            hostVersion: "0.0.1",
            imitation: [.laterMinor, .noFeatures],
            deadline: deadline,
            entryDeadline: MonotonicTime(nanoseconds: 40),
            gracePeriod: gracePeriod,
            tasks: [SampleMessages.task(payload: [1, 2, 3])]
        )
    }

    // MARK: - Lines

    static func lines() throws -> [String] { try lines(of: fromRunner, fromHost) }

    static func lines(of fromRunner: [RunnerMessage], _ fromHost: [HostMessage]) throws -> [String] {
        try fromRunner.map { "runner.\($0.name.rawValue) \(hexadecimal(try $0.frame()))" }
            + fromHost.map { "host.\($0.name.rawValue) \(hexadecimal(try $0.frame()))" }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension RunnerMessage {
    enum Name: String, CaseIterable {
        case entered, registered, loadFailed, ffiMissing, sandboxFailed, confined, completed,
            expirationHandler,
            expiring
        case progress, title, fetchInterval, assertionBegan, assertionEnded, cursorWritten, checkpoint
        case submit, cancel, cancelAll, pending, registerForPushes, unregisterForPushes, notificationContent, log,
            violation, stopped
        case beginTransfer, cancelTransfer, transfers, transferTaken, transferEnded
    }

    /// The name of the message in the recorded frames. A new message requires a name here and a recorded frame.
    var name: Name {
        switch self {
        case .entered: .entered
        case .registered: .registered
        case .loadFailed: .loadFailed
        case .ffiMissing: .ffiMissing
        case .sandboxFailed: .sandboxFailed
        case .confined: .confined
        case .completed: .completed
        case .expirationHandler: .expirationHandler
        case .expiring: .expiring
        case .progress: .progress
        case .title: .title
        case .fetchInterval: .fetchInterval
        case .assertionBegan: .assertionBegan
        case .assertionEnded: .assertionEnded
        case .submit: .submit
        case .cancel: .cancel
        case .cancelAll: .cancelAll
        case .pending: .pending
        case .log: .log
        case .violation: .violation
        case .stopped: .stopped
        case .cursorWritten: .cursorWritten
        case .checkpoint: .checkpoint
        case .registerForPushes: .registerForPushes
        case .unregisterForPushes: .unregisterForPushes
        case .beginTransfer: .beginTransfer
        case .cancelTransfer: .cancelTransfer
        case .transfers: .transfers
        case .transferTaken: .transferTaken
        case .transferEnded: .transferEnded
        case .notificationContent: .notificationContent
        }
    }
}

extension HostMessage {
    enum Name: String, CaseIterable {
        case confine, plan, deliver, expire, yieldCursor, expireAssertions, submitted, refused, cancelled, pending,
            cursorStored, pushToken, transferBegun, transfers, stop
    }

    /// The name of the message in the recorded frames. A new message requires a name here and a recorded frame.
    var name: Name {
        switch self {
        case .confine: .confine
        case .plan: .plan
        case .deliver: .deliver
        case .expire: .expire
        case .yieldCursor: .yieldCursor
        case .expireAssertions: .expireAssertions
        case .submitted: .submitted
        case .refused: .refused
        case .cancelled: .cancelled
        case .pending: .pending
        case .stop: .stop
        case .cursorStored: .cursorStored
        case .pushToken: .pushToken
        case .transferBegun: .transferBegun
        case .transfers: .transfers
        }
    }
}
