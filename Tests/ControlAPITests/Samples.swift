// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

/// Sample values of the replies, with almost every field set, shared by tests of JSON and of rendering.
enum Samples {
    struct Missing: Error {}

    /// The present time of the samples: 2026-01-31T01:48:00Z.
    static let now = WallTime(nanoseconds: 1_769_824_080_000_000_000)

    static func task(_ text: String = "com.example.feed.refresh") throws -> TaskIdentifier {
        guard let task = TaskIdentifier(text) else { throw Missing() }
        return task
    }

    static func plugin(_ text: String = "com.example.feed") throws -> PluginIdentifier {
        guard let plugin = PluginIdentifier(text) else { throw Missing() }
        return plugin
    }

    /// A token of 32 equal bytes, issued at the present time.
    static func pushToken() throws -> IssuedPushToken {
        guard let token = PushToken(bytes: Array(repeating: 0xa5, count: PushToken.size)) else { throw Missing() }
        return IssuedPushToken(plugin: try plugin(), token: token, issuedAt: now)
    }

    static func entry() throws -> PluginEntry {
        PluginEntry(
            requires: ["bgtask.legacy-fetch/1"],
            identifier: try plugin(),
            name: "Feed",
            version: "1.4.0",
            role: .main,
            extensions: [try plugin("com.example.feed.keyboard")],
            permitted: [.exact(try task()), .pattern(prefix: try task("com.example.feed.export"))],
            modes: [.processing, .fetch],
            entitlements: [.continuedProcessingGPU],
            settings: ["feed-url": "https://example.com/feed.xml"],
            handlers: [
                FunctionBinding(
                    identifier: try task(),
                    symbol: "feed_read",
                    arguments: [.setting("feed-url"), .outString(size: 64), .cancelFlag],
                    result: .int32(.zero)
                )
            ],
            library: LibraryFile(
                path: "/opt/libFeed.so",
                digest: "ab12",
                identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5)
            ),
            architectures: ["aarch64", "x86_64"],
            manifestPath: "/etc/bgtask/manifests/feed.yaml",
            manifestDigest: "cd34",
            provenance: Provenance(
                source: .signed,
                isPinned: true,
                files: [.init(name: "libhelper.so", digest: "ef56")],
                signer: .init(keyType: "ssh-ed25519", fingerprint: "SHA256:abc", principals: "com.example.*")
            )
        )
    }

    static func host(ledger: LedgerState = .writable) -> HostStatusReply {
        HostStatusReply(
            version: "0.1.0",
            pid: 7,
            user: "bgtask",
            startedAt: now + .seconds(-3600),
            boot: BootID("b00t"),
            timeZone: "Europe/Berlin",
            stateDirectory: "/var/lib/bgtask",
            ledger: ledger,
            incarnation: 1,
            socket: "/run/bgtask/control.sock",
            socketGroups: [.read: "adm", .operate: "operators"],
            manifestDirectories: ["/etc/bgtask/manifests", "/usr/share/bgtask/manifests"],
            pluginDirectory: "/usr/lib/bgtask/plugins",
            configurationFile: "/etc/bgtask/bgtaskd.yaml",
            configuredWithoutPlugin: [PluginIdentifier("com.example.gone")].compactMap { $0 },
            conditions: conditions,
            sensors: SensorsInForce(
                numbers: ["idle-percent": 10, "heat-margin": 5],
                durations: ["sample-interval": .seconds(5), "idle-after": .seconds(30)]
            ),
            counts: .init(plugins: 2, refused: 1, pending: 3, events: 1, runningLaunches: 1),
            limits: [KindLimit(.refresh, limit: 1), KindLimit(.processing, limit: 10)],
            budgets: [KindBudget(.refresh, budget: .seconds(30)), KindBudget(.processing, budget: .seconds(600))],
            launchLimits: [LaneLimit(.background, limit: 4, running: 1, stopping: 1)],
            idleRunners: IdleRunnersInForce(limit: 2, waiting: 1),
            gracePeriod: .seconds(5),
            spacing: .seconds(1),
            batchSize: 100,
            idleTimeout: .seconds(10),
            retry: retry,
            retention: Retention(
                removedPlugin: .seconds(30 * 86_400),
                journal: .seconds(90 * 86_400),
                journalBytes: 256 << 20,
                doubt: .seconds(600)
            ),
            logs: LogsInForce(launch: 1 << 20, plugin: 16 << 20, total: 512 << 20, retention: .seconds(14 * 86_400)),
            policies: PoliciesInForce(
                off: ["load"],
                stagger: .seconds(60),
                refreshSpacing: .seconds(900),
                pushSpacing: .seconds(1200),
                overrunSpacing: .seconds(30),
                longestSpacing: .seconds(3600),
                learnsUse: true,
                dayBudget: .seconds(4 * 3600),
                maximumDeferral: .seconds(2 * 86_400),
                maximumCapacityWait: .seconds(300)
            ),
            isolation: IsolationInForce(
                .required,
                required: [.network, .files],
                guarantees,
                users: PluginUsersInForce(range: UserRange("600000-665535"), reason: nil),
                limits: LaunchLimitsInForce(
                    PluginLimits(memory: 256 << 20, processes: 512, fileSize: 1 << 30),
                    diskReserve: 1 << 30,
                    nice: 10
                ),
                grantLimits: GrantLimits(
                    [PluginPattern("com.example.*")].compactMap(\.self).map { .init($0, GrantLimit(network: false)) }
                )
            ),
            provenance: ProvenanceInForce(
                unsigned: "allow",
                unpinned: "warn",
                packages: "trust",
                signers: "/etc/bgtask/allowed_signers",
                revoked: nil
            ),
            continued: ContinuedRule(stallLimit: .seconds(30), pressureInterval: .seconds(10)),
            minimumFetchInterval: .seconds(900),
            isBackgroundRefreshOn: true,
            isStopping: false
        )
    }

    static let guarantees = [
        GuaranteeInForce("network", enforcedBy: "seccomp, Landlock 7"),
        GuaranteeInForce("memory", notEnforced: "control groups are disabled (cgroup: none)"),
    ]

    static let conditions = ConditionsReply(
        states: [
            .externalPower: .init(false, source: .simulated), .network: .init(true, source: .configuration),
            .idle: .init(true, source: .sensor, detail: "/proc/stat: 2 % used by others"),
            .highLoad: .init(false, source: .sensor, detail: "/proc/stat: 2 % used by others"),
            .lowMemory: .init(false, source: .missing, detail: "no /proc/pressure/memory"),
            .hot: .init(false, source: .unwatched),
            .batteryLow: .init(false, source: .missing, detail: "no battery"),
            .powerSaver: .init(false, source: .unwatched), .metered: .init(false, source: .unwatched),
            .gpu: .init(false, source: .sensor, detail: "/dev: none"),
        ],
        lockedContainers: [:]
    )

    static let retry = RetryRule(delay: .seconds(10), attempts: 3, hostDelay: .seconds(1))

    static func pluginList() throws -> PluginListReply {
        PluginListReply(
            plugins: [.init(try entry(), pending: 2, events: 1, running: 1, isEnabled: true, state: .running)],
            refused: [
                .init(
                    file: "/etc/bgtask/manifests/broken.yaml",
                    identifier: "com.example.broken",
                    problems: [
                        ManifestNote(
                            severity: .error,
                            line: 4,
                            column: 3,
                            key: "role",
                            message: "\"mian\" is not a role"
                        ),
                        ManifestNote(severity: .error, message: "library is missing"),
                    ]
                )
            ]
        )
    }

    /// The reply about one plugin.
    ///
    /// - Parameter events: the number of waiting events; the list contains one of them.
    static func pluginShow(events: Int = 1) throws -> PluginReply {
        PluginReply(
            try entry(),
            summary: .init(try entry(), pending: 2, events: events, running: 1, isEnabled: true, state: .running),
            secrets: [.init(setting: "token", source: "file /etc/bgtask/feed-token")],
            grants: GrantsInForce(
                [
                    .init(grant: "network", requested: "true", effective: ["true"], cause: nil),
                    .init(
                        grant: "write",
                        requested: "/srv/photos",
                        setting: "directory",
                        effective: ["/srv/photos/new"],
                        cause: "grant-limits.*.write is /srv/photos/new"
                    ),
                ],
                guarantees: guarantees
            ),
            notes: [ManifestNote(severity: .note, line: 9, key: "modes", message: "audio has no effect")],
            limits: [KindLimit(.refresh, limit: 1, used: 1), KindLimit(.processing, limit: 10, used: 3)],
            budgets: [KindBudget(.refresh, budget: .seconds(30))],
            gracePeriod: .seconds(5),
            spacing: .seconds(1),
            batchSize: 100,
            dayBudget: .seconds(4 * 3600),
            isBackgroundRefreshOn: true,
            isBackgroundDenied: false,
            schedules: [.init(identifier: try task(), kind: .refresh, rhythm: "every 6h", next: now + .seconds(3600))],
            retry: retry,
            failureRetries: [
                FailureRetryReply(.exact(try task()), proposed: FailureRetry(), inForce: FailureRetry(attempts: 5))
            ],
            retention: .seconds(30 * 86_400),
            lastLaunch: .init(LaunchNumber(rawValue: 41), startedAt: now, outcome: .completed, message: "2 tasks"),
            reasons: [WaitingReason(.spacing(until: MonotonicTime(nanoseconds: 3_000_000_000)), at: moment)],
            waitingEvents: [.init(try event(), reason: nil)]
        )
    }

    /// The present time of the samples on both clocks: one second on the monotonic clock.
    static let moment = Moment(monotonic: MonotonicTime(nanoseconds: 1_000_000_000), wall: now, boot: BootID("b00t"))

    static func pending(earliestBegin: WallTime? = now + .seconds(720)) throws -> PendingRequest {
        PendingRequest(
            plugin: try plugin(),
            number: SubmissionNumber(rawValue: 12),
            request: TaskRequest(
                identifier: try task(),
                kind: .refresh,
                earliestBegin: earliestBegin,
                requiresNetwork: true
            ),
            submitter: .user,
            submittedAt: now,
            retry: Retry(attempts: 1, failures: 2)
        )
    }

    static func event() throws -> PendingEvent {
        PendingEvent(plugin: try plugin(), number: SubmissionNumber(rawValue: 13), type: .started, createdAt: now)
    }

    static func taskList() throws -> TaskListReply {
        TaskListReply(
            pending: [
                .init(try pending(), reason: WaitingReason(.earliestBegin(now + .seconds(720)), at: moment))
            ],
            running: [
                .init(
                    .request(try pending()),
                    launch: LaunchNumber(rawValue: 41),
                    startedAt: now,
                    budget: .seconds(30),
                    used: .milliseconds(22_400)
                ),
                .init(
                    .request(try continued()),
                    launch: LaunchNumber(rawValue: 42),
                    startedAt: now,
                    budget: nil,
                    used: .seconds(60),
                    isExpiring: true,
                    title: ("Exporting", "holidays"),
                    progress: TaskProgress(done: 3, total: 8)
                ),
            ],
            events: [.init(try event(), reason: nil)]
        )
    }

    static func continued() throws -> PendingRequest {
        PendingRequest(
            plugin: try plugin(),
            number: SubmissionNumber(rawValue: 14),
            request: TaskRequest(
                identifier: try task("com.example.feed.export.one"),
                kind: .continued,
                continued: ContinuedTerms(title: "Export")
            ),
            submitter: .user,
            submittedAt: now
        )
    }

    static func transfer() throws -> TransferReply {
        guard let session = TransferSession("photos") else { throw Missing() }
        var transfer = Transfer(
            plugin: try plugin(),
            number: SubmissionNumber(rawValue: 41),
            direction: .download,
            session: session,
            label: "Holidays",
            url: "https://example.com/holidays.zip",
            place: "41-00ff",
            begunAt: now
        )
        transfer.fault = .serverBusy
        transfer.httpStatus = 503
        transfer.message = "the server is busy"
        let report = TaskProgress(done: 400, total: 1_000)
        return TransferReply(transfer, among: RunningTransfers([(transfer.number, report)]))
    }

    static func scheduleList() throws -> ScheduleListReply {
        ScheduleListReply(schedules: [
            .init(
                plugin: try plugin(),
                identifier: try task(),
                kind: .refresh,
                rhythm: "every 6h",
                state: .idle,
                next: now + .seconds(720),
                lastRun: now + .seconds(-120),
                lastOutcome: .init(
                    outcome: "succeeded",
                    at: now + .seconds(-90),
                    blame: .nobody,
                    message: "",
                    launch: LaunchNumber(rawValue: 40)
                )
            ),
            .init(
                plugin: try plugin(),
                identifier: try task("com.example.feed.refersh"),
                kind: .processing,
                rhythm: "02:30 Europe/Berlin",
                state: .blocked,
                problem: WaitingReason(
                    code: "identifier-not-permitted",
                    message: "the manifest of the plugin does not permit com.example.feed.refersh",
                    remedy: "write \"com.example.feed.refresh\" if that task is meant"
                )
            ),
        ])
    }

    static func why() throws -> TaskWhyReply {
        TaskWhyReply(
            identifier: try task(),
            plugin: try plugin(),
            state: .pending,
            kind: .refresh,
            submission: SubmissionNumber(rawValue: 12),
            isEligible: false,
            reasons: [
                WaitingReason(.earliestBegin(now + .seconds(720)), at: moment),
                WaitingReason(.network, at: moment),
            ],
            earliestPossible: .unknown,
            lastOutcome: .init(
                outcome: "crashed",
                at: now + .seconds(-90),
                blame: .plugin,
                message: "signal 11",
                launch: LaunchNumber(rawValue: 40)
            ),
            policies: [
                .init(policy: "idle", verdict: "may", rationale: "applies to processing requests only"),
                .init(
                    policy: "spacing",
                    verdict: "wait",
                    rationale: "at least 1s between two launches",
                    until: now + .seconds(1)
                ),
            ],
            history: [wait("network", from: -60, to: -30), wait("earliest-begin", from: -30, to: nil)]
        )
    }

    private static func wait(_ code: String, from start: Int, to end: Int?) -> TaskWhyReply.Wait {
        .init(
            submission: SubmissionNumber(rawValue: 12),
            code: code,
            since: now + .seconds(start),
            until: end.map { now + .seconds($0) },
            now: now
        )
    }

    static func launch(
        end: LaunchEnd? = nil,
        assertions: [String] = [],
        isStopping: Bool? = nil
    ) throws -> LaunchReply {
        LaunchReply(
            launch: LaunchNumber(rawValue: 41),
            plugin: try plugin(),
            lane: .background,
            cause: .due,
            pid: 4711,
            startedAt: now,
            budget: .seconds(30),
            gracePeriod: .seconds(5),
            used: .seconds(2),
            end: end,
            manifestDigest: "cd34",
            tasks: [
                .init(
                    task: try task().text,
                    kind: .refresh,
                    submission: SubmissionNumber(rawValue: 12),
                    outcome: .succeeded,
                    blame: .nobody,
                    message: "",
                    endedAt: now + .seconds(2),
                    submitter: .plugin(try plugin()),
                    submittedAt: now
                )
            ],
            assertions: assertions,
            isStopping: isStopping
        )
    }

    static let launchEnd = LaunchEnd(
        outcome: .completed,
        at: now + .milliseconds(22_400),
        used: .milliseconds(22_400),
        blame: .nobody,
        message: "all tasks completed"
    )

    /// A pause that ends 2 hours after `now`.
    static let pause = PluginPause(
        since: now,
        until: now + .seconds(7_200),
        user: CallingUser(uid: 1_000, pid: 4_711, command: "bgtask")
    )

    static func stats() throws -> StatsReply {
        guard let delay = StatsReply.Durations([.seconds(2), .seconds(61)]) else { throw Missing() }
        let row = StatsReply.Row(
            plugin: try plugin(),
            kind: .refresh,
            launches: 2,
            succeeded: 2,
            failed: 1,
            interrupted: 1,
            delay: delay,
            runTime: StatsReply.Durations([.milliseconds(1_200)]),
            budgetUsed: StatsReply.Percents([4])
        )
        let container = StatsReply.Disk.Container(plugin: "com.example.feed", bytes: 40_960)
        let uncounted = StatsReply.Disk.Container(plugin: "com.example.large", bytes: nil)
        return StatsReply(
            since: now + .seconds(-604_800),
            until: now,
            isComplete: false,
            rows: [row],
            disk: .init(ledgerBytes: 1_048_576, freeBytes: 13_958_643_712, containers: [container, uncounted])
        )
    }

    static func logLine(_ number: Int64 = 3, text: String = "the server answered 503") throws -> LaunchLogLine {
        LaunchLogLine(
            at: now,
            plugin: try plugin(),
            launch: LaunchNumber(rawValue: 41),
            number: number,
            level: .warning,
            stream: .log,
            task: try task().text,
            text: text
        )
    }

    static func notification(_ number: Int64 = 5, title: String = "New photos") throws -> NotificationLine {
        NotificationLine(
            number: number,
            at: now,
            alarm: "failed",
            event: "failed",
            plugin: try plugin().text,
            topic: "albums",
            submission: SubmissionNumber(rawValue: 12),
            launch: LaunchNumber(rawValue: 41),
            task: try task().text,
            blame: "plugin",
            isChanged: true,
            content: NotificationContent(title: title, subtitle: "Ann", body: "3 albums")
        )
    }

    static func journalLine(_ number: Int64 = 5, message: String = "pruned 12 rows") throws -> JournalLine {
        let entry = JournalEntry(
            at: now,
            event: .task(.succeeded),
            plugin: try plugin(),
            launch: LaunchNumber(rawValue: 41),
            label: try task().text,
            submission: SubmissionNumber(rawValue: 12),
            blame: .nobody,
            message: message
        )
        return JournalLine(number: number, entry)
    }
}
