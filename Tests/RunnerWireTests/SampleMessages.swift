// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import TaskModel

/// Every message of both directions, with plain and with extreme fields. No test depends on an individual message.
enum SampleMessages {
    static let identifier = name("com.example.colorfeed.refresh")
    static let longest = name("com." + String(repeating: "x", count: 251))

    static let requests: [TaskRequest] =
        [
            TaskRequest(identifier: identifier, kind: .refresh),
            TaskRequest(
                identifier: longest,
                kind: .processing,
                earliestBegin: WallTime(nanoseconds: .min),
                requiresNetwork: true,
                requiresExternalPower: true
            ),
            TaskRequest(identifier: identifier, kind: .event, earliestBegin: WallTime(nanoseconds: .max)),
            TaskRequest(identifier: identifier, kind: .continued, continued: ContinuedTerms(title: "")),
            TaskRequest(identifier: longest, kind: .continued, continued: longestTerms),
        ] + ProtectionType.allCases.map { TaskRequest(identifier: identifier, kind: .healthResearch, protection: $0) }

    static func sandbox(_ access: SandboxPlan.Access) -> SandboxPlan {
        SandboxPlan(
            landlock: LandlockRights(files: 0xffff, network: 3, scopes: 3),
            library: "/usr/lib/bgtask/plugins",
            companions: [
                CompanionFile(
                    path: "/usr/lib/bgtask/plugins/libpalette.so",
                    key: FileKey(device: 2049, inode: 4242)
                )
            ],
            granted: [.init(path: "/srv/photos", access: access, within: ["/srv"])],
            ports: [.init(443, rights: 2)],
            reserved: ["/var/lib/bgtask", "/run/bgtask/control.sock"],
            filter: [6, 0, 0, 0, 0, 0, 255, 127]
        )
    }

    /// The sandbox plan on a kernel that supports no mechanism of the sandbox.
    static let bareSandbox = SandboxPlan(landlock: nil, library: "", granted: [], reserved: [], filter: [])

    static let longestTerms = ContinuedTerms(
        title: String(repeating: "é", count: 127) + "x",
        subtitle: String(repeating: "\u{1F9CA}", count: 63),
        strategy: .fail,
        resources: TaskResources(rawValue: .max)
    )

    static let fromRunner: [RunnerMessage] =
        [
            .entered(
                status: 0,
                registered: [.exact(identifier), .exact(longest), .pattern(prefix: longest)],
                offersReceive: true
            ),
            .registered(.exact(longest)),
            .registered(.pattern(prefix: identifier)),
            .progress(TaskID(rawValue: .max), progress(0, 1)),
            .progress(TaskID(rawValue: 0), progress(.max, .max)),
            .title(TaskID(rawValue: .max), longestTerms.title, subtitle: longestTerms.subtitle),
            .title(TaskID(rawValue: 0), "Exporting\0", subtitle: nil),
            .title(TaskID(rawValue: 1), "", subtitle: ""),
            .fetchInterval(nil),
            .fetchInterval(.zero),
            .fetchInterval(.nanoseconds(Int64.max)),
            .entered(status: .min, registered: [], offersReceive: false),
            .entered(status: .max, registered: [], offersReceive: false, cause: "submit: Ünïcode \u{1F9CA}\0"),
            .loadFailed(message: ""),
            .loadFailed(message: "libfeed.so: cannot open shared object file – Ünïcode \u{1F9CA}\0 inside"),
            .ffiMissing(message: ""),
            .ffiMissing(message: "libffi.so.8 cannot be loaded"),
            .sandboxFailed(message: ""),
            .confined(),
            .confined(listener: .min),
            .confined(listener: .max),
            .sandboxFailed(message: "cannot restrict the process"),
            .completed(TaskID(rawValue: .max), .failure),
            .completed(TaskID(rawValue: 0), .noData),
            .completed(TaskID(rawValue: .max), .success, message: "run returned 0; out-string \"\u{1F9CA}\0\""),
            .completed(TaskID(rawValue: 0), .failure, message: ""),
            .cursorWritten(TaskID(rawValue: .max), number: .max),
            .checkpoint(CallNumber(rawValue: .max), TaskID(rawValue: 0), number: 1),
            .expirationHandler(TaskID(rawValue: 65537), isSet: true),
            .expiring([], .budget),
            .expiring([TaskID(rawValue: 1), TaskID(rawValue: .max)], .hostShutdown),
            .assertionBegan(AssertionID(rawValue: .max), name: String(repeating: "é", count: 127)),
            .assertionBegan(AssertionID(rawValue: 0), name: ""),
            .assertionEnded(AssertionID(launch: LaunchNumber(rawValue: 41), count: 3)),
            .cancel(CallNumber(rawValue: 3), identifier),
            .cancelAll(CallNumber(rawValue: 4)),
            .pending(CallNumber(rawValue: .max)),
            .registerForPushes(CallNumber(rawValue: .max)),
            .unregisterForPushes(CallNumber(rawValue: 0)),
            .cancelTransfer(CallNumber(rawValue: .max), SubmissionNumber(rawValue: .min)),
            .transfers(CallNumber(rawValue: .max), of: nil),
            .transfers(CallNumber(rawValue: 0), of: session),
            .transferTaken(SubmissionNumber(rawValue: .max)),
            .notificationContent(TaskID(rawValue: .max), Array(repeating: 0xff, count: 4_096)),
            .notificationContent(TaskID(rawValue: 0), []),
            .log(.debug, message: String(repeating: "é", count: 2048)),
            .violation(.completedTwice, message: "completed twice"),
            .stopped,
        ]
        + requests.map { .submit(CallNumber(rawValue: .max), $0, payload: Array(repeating: 0xff, count: 65_536)) }
        + transfers.map {
            .beginTransfer(
                CallNumber(rawValue: .max),
                $0,
                earliestBegin: WallTime(nanoseconds: .min),
                expiresAt: WallTime(nanoseconds: .max)
            )
        }
        + transferEnds.map { .transferEnded(TaskID(rawValue: .max), $0) }

    static let fromHost: [HostMessage] = [
        .confine(Confinement(containerPath: "")),
        .confine(
            Confinement(
                user: .max,
                processLimit: .max,
                fileLimit: .max,
                nice: .max,
                containerPath: "/var/lib/bgtask/containers/é",
                sandbox: sandbox(.unix)
            )
        ),
        .plan(plan(tasks: [])),
        .plan(plan(tasks: [task(payload: [])])),
        .plan(
            plan(
                tasks: (0..<100).map { _ in
                    task(payload: Array(repeating: 7, count: TaskRequest.maximumPayload), event: .trigger)
                }
            )
        ),
        .plan(plan(tasks: [], deadline: nil)),
        .deliver(continuedTask(longestTerms, payload: Array(repeating: 0, count: TaskRequest.maximumPayload))),
        .deliver(continuedTask(ContinuedTerms(title: "Exporting"), payload: [])),
        .deliver(task(payload: [], event: .fetch)),
        .deliver(claimedTask(Claim(item: .max, fence: .min, isBound: true))),
        .deliver(claimedTask(Claim(item: 0, fence: 1, isBound: false))),
        .expire([TaskID(rawValue: 9)], .stoppedByUser),
        .expire([], .containerLocked),
        .yieldCursor(TaskID(rawValue: .max)),
        .expireAssertions(.hostShutdown),
        .submitted(CallNumber(rawValue: .max), SubmissionNumber(rawValue: .max)),
        .cursorStored(CallNumber(rawValue: .max), isRecorded: true),
        .cursorStored(CallNumber(rawValue: 0), isRecorded: false),
        .pushToken(CallNumber(rawValue: .max), pushToken),
        .pushToken(CallNumber(rawValue: 0), nil),
        .transferBegun(CallNumber(rawValue: .max), SubmissionNumber(rawValue: .max)),
        .transfers(CallNumber(rawValue: 0), []),
        .transfers(CallNumber(rawValue: .max), listedTransfers),
        .refused(
            CallNumber(rawValue: 0),
            SubmissionRefusal(
                code: .tooManyPendingTaskRequests,
                subReason: .refreshLimit,
                message: "1 refresh request is pending"
            )
        ),
        .cancelled(CallNumber(rawValue: 1), isRecorded: false),
        .pending(CallNumber(rawValue: 1), []),
        .pending(
            CallNumber(rawValue: 1),
            requests.map { ListedRequest(request: $0, number: SubmissionNumber(rawValue: .min), payload: [0, 255]) }
        ),
        .stop,
    ]

    static func plan(
        tasks: [RunnerPlan.Task],
        settings: [String: String] = ["feed-url": "https://example.com/feed.xml", "": "", "ключ": "значение"],
        handlers: [FunctionBinding] = handlers,
        deadline: MonotonicTime? = MonotonicTime(nanoseconds: .min)
    ) -> RunnerPlan {
        RunnerPlan(
            launch: LaunchNumber(rawValue: .max),
            plugin: plugin("com.example.colorfeed"),
            role: .extension,
            lane: .event,
            cause: .relaunch,
            libraryPath: "/usr/lib/bgtask/plugins/libColorFeed.so",
            libraryIdentity: FileIdentity(device: .max, inode: .max, size: .max, modified: .min, changed: .max),
            isExamined: deadline != nil,
            permitted: [.exact(identifier), .pattern(prefix: identifier)],
            modes: [.fetch, .processing],
            settings: settings,
            handlers: handlers,
            supportedResources: [.gpu],
            hostVersion: "0.0.1",
            deadline: deadline,
            entryDeadline: MonotonicTime(nanoseconds: .max),
            gracePeriod: .nanoseconds(Int64.max),
            tasks: tasks
        )
    }

    /// Handlers with every kind of argument and of result.
    static let handlers = [
        FunctionBinding(
            identifier: identifier,
            symbol: "logtrim_run",
            arguments: [
                .string("/var/log"), .string(""), .int32(.min), .uint32(.max), .int64(.min), .uint64(.max),
                .double(-0.0), .double(.greatestFiniteMagnitude), .bool(true), .bool(false), .bytes([]),
                .bytes(Array(repeating: 0xff, count: FunctionArgument.longestValue)), .cancelFlag, .payload,
                .containerPath, .remainingMilliseconds, .setting("feed-url"), .null, .outString(size: 1),
                .outString(size: FunctionArgument.outStringSizes.upperBound), .outInt64,
            ],
            result: .int32(.zero)
        ),
        FunctionBinding(identifier: longest, symbol: "a", arguments: [], result: .void),
        FunctionBinding(identifier: longest, symbol: "b", arguments: [.null], result: .int64(.nonnegative)),
        FunctionBinding(identifier: longest, symbol: "c", arguments: [.null], result: .int64(.nonzero)),
        FunctionBinding(
            identifier: longest,
            symbol: "d",
            arguments: Array(repeating: .cancelFlag, count: FunctionBinding.mostArguments),
            result: .pointer
        ),
    ]

    static func task(payload: [UInt8], event: EventType = .started) -> RunnerPlan.Task {
        RunnerPlan.Task(
            id: TaskID(launch: LaunchNumber(rawValue: 41), index: 0),
            kind: .event,
            event: event,
            identifier: event.name,
            submission: SubmissionNumber(rawValue: .max),
            attempts: .max,
            requiresNetwork: true,
            requiresExternalPower: false,
            payload: payload
        )
    }

    static func continuedTask(_ terms: ContinuedTerms, payload: [UInt8]) -> RunnerPlan.Task {
        RunnerPlan.Task(
            id: TaskID(rawValue: .max),
            kind: .continued,
            event: nil,
            identifier: longest.text,
            submission: SubmissionNumber(rawValue: .max),
            attempts: 0,
            protection: .complete,
            continued: terms,
            payload: payload
        )
    }

    static func claimedTask(_ claim: Claim) -> RunnerPlan.Task {
        RunnerPlan.Task(
            id: TaskID(rawValue: 5),
            kind: .processing,
            event: nil,
            identifier: identifier.text,
            submission: SubmissionNumber(rawValue: 9),
            attempts: 0,
            payload: [],
            claim: claim
        )
    }

    private static func progress(_ done: Int64, _ total: Int64) -> TaskProgress {
        guard let progress = TaskProgress(done: done, total: total) else {
            preconditionFailure("a sample of progress must be one")
        }
        return progress
    }

    private static func name(_ text: String) -> TaskIdentifier {
        guard let name = TaskIdentifier(text) else { preconditionFailure("a sample identifier must be valid") }
        return name
    }

    static let pushToken = PushToken(bytes: (0..<UInt8(PushToken.size)).map { 255 - $0 })

    static func plugin(_ text: String) -> PluginIdentifier {
        guard let name = PluginIdentifier(text) else { preconditionFailure("a sample identifier must be valid") }
        return name
    }
}
