// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskLedger
import TaskModel
import Testing

let feed = identifier("com.example.feed")
let keyboard = identifier("com.example.feed.keyboard")
let cleaner = identifier("com.example.cleaner")

func identifier(_ text: String) -> PluginIdentifier {
    guard let identifier = PluginIdentifier(text) else { preconditionFailure("\(text) must be an identifier") }
    return identifier
}

func task(_ text: String) -> TaskIdentifier {
    guard let identifier = TaskIdentifier(text) else { preconditionFailure("\(text) must be an identifier") }
    return identifier
}

func time(_ seconds: Int64) -> WallTime { WallTime(nanoseconds: seconds * 1_000_000_000) }

/// A request in which almost every field differs from its default value, so that a column that is not stored is
/// detected. The flags `requiresExternalPower` and `wasInterrupted` are false.
func fullRequest(
    _ number: Int64,
    _ name: String = "refresh",
    of plugin: PluginIdentifier = feed,
    claim: LeasedClaim? = LeasedClaim(Claim(item: 71, fence: 3, isBound: true), under: "fleet")
) -> PendingRequest {
    PendingRequest(
        plugin: plugin,
        number: SubmissionNumber(rawValue: number),
        request: TaskRequest(
            identifier: task("\(plugin.text).\(name)"),
            kind: .processing,
            earliestBegin: time(2_000_000_000),
            requiresNetwork: true,
            requiresExternalPower: false,
            protection: .complete,
            continued: ContinuedTerms(
                title: "Export",
                subtitle: "of 12 photos",
                strategy: .fail,
                resources: TaskResources(rawValue: .max - 1)
            ),
            claim: claim
        ),
        submitter: .plugin(keyboard),
        submittedAt: WallTime(nanoseconds: 1_763_000_000_123_456_789),
        retry: Retry(
            attempts: 2,
            notBefore: time(1_900_000_000),
            runsAlone: true,
            wasInterrupted: false,
            hostLosses: 3,
            failures: 4
        ),
        deferredSince: time(1_850_000_000)
    )
}

func plainRequest(_ number: Int64, _ name: String = "refresh", of plugin: PluginIdentifier = feed) -> PendingRequest {
    PendingRequest(
        plugin: plugin,
        number: SubmissionNumber(rawValue: number),
        request: TaskRequest(identifier: task("\(plugin.text).\(name)"), kind: .refresh, requiresExternalPower: true),
        submitter: .user,
        submittedAt: time(number)
    )
}

/// A continued request without a subtitle and without required resources.
func continuedRequest(_ number: Int64, _ name: String = "export", of plugin: PluginIdentifier = feed) -> PendingRequest
{
    PendingRequest(
        plugin: plugin,
        number: SubmissionNumber(rawValue: number),
        request: TaskRequest(
            identifier: task("\(plugin.text).\(name)"),
            kind: .continued,
            continued: ContinuedTerms(title: "Export")
        ),
        submitter: .user,
        submittedAt: time(number)
    )
}

func started(_ number: Int64, of plugin: PluginIdentifier = feed) -> PendingEvent {
    PendingEvent(
        plugin: plugin,
        number: SubmissionNumber(rawValue: number),
        type: .started,
        createdAt: time(number),
        retry: Retry(
            attempts: 1,
            notBefore: time(5),
            runsAlone: false,
            wasInterrupted: true,
            hostLosses: 2,
            failures: 1
        )
    )
}

func trigger(_ number: Int64, of plugin: PluginIdentifier = keyboard) -> PendingEvent {
    PendingEvent(plugin: plugin, number: SubmissionNumber(rawValue: number), type: .trigger, createdAt: time(number))
}

func plan(
    _ number: Int64,
    _ batch: [PendingWork],
    of plugin: PluginIdentifier = feed,
    budget: Duration? = .seconds(30)
) -> LaunchPlan {
    let launch = LaunchNumber(rawValue: number)
    return LaunchPlan(
        number: launch,
        plugin: entry(plugin),
        lane: batch.first?.kind.lane ?? .background,
        cause: .user,
        tasks: batch.enumerated().map { PlannedTask(id: TaskID(launch: launch, index: $0), work: $1) },
        budget: LaunchBudget(
            total: budget,
            gracePeriod: .milliseconds(4_500),
            entryLimit: .seconds(30),
            startingAt: MonotonicTime(nanoseconds: 77)
        ),
        process: RunnerProcess(
            pid: 4_711,
            startTime: .max - 1,
            boot: BootID("2c1f…"),
            controlGroup: "/sys/fs/cgroup/bgtask/\(number)"
        ),
        startedAt: time(1_000 + number)
    )
}

func entry(_ plugin: PluginIdentifier) -> PluginEntry {
    PluginEntry(
        identifier: plugin,
        name: "A plugin",
        version: "1.0",
        role: .main,
        permitted: [.exact(task("\(plugin.text).refresh")), .pattern(prefix: task("\(plugin.text).export"))],
        modes: [.fetch],
        library: LibraryFile(
            path: "/plugins/lib.so",
            digest: "b1b2",
            identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5)
        ),
        manifestPath: "/manifests/\(plugin.text).yaml",
        manifestDigest: "a1a2"
    )
}

/// A change that delivers a task to a running launch, by default as its second task.
func delivered(_ work: PendingWork, in launch: Int64, index: Int = 1) -> LedgerChange {
    let number = LaunchNumber(rawValue: launch)
    return .startTask(number, PlannedTask(id: TaskID(launch: number, index: index), work: work))
}

func end(_ outcome: LaunchOutcome = .completed, at seconds: Int64 = 2_000) -> LaunchEnd {
    LaunchEnd(outcome: outcome, at: time(seconds), used: .milliseconds(1_250), blame: .plugin, message: "all done")
}

func outcome(
    _ outcome: TaskOutcome,
    launch: Int64,
    submission: Int64,
    at seconds: Int64 = 3_000
) -> LedgerChange {
    .journal(
        JournalEntry(
            at: time(seconds),
            event: .task(outcome),
            plugin: feed,
            launch: LaunchNumber(rawValue: launch),
            label: "com.example.feed.refresh",
            submission: SubmissionNumber(rawValue: submission),
            blame: .nobody,
            message: "done"
        )
    )
}

/// A change that records the wait of the class of `work`.
func wait(_ work: PendingWork, for reasons: [String], at seconds: Int64) -> LedgerChange {
    .recordWait(WaitKey(of: work), reasons: reasons, at: time(seconds))
}

func deferral(_ since: Int64, _ until: Int64? = nil) -> DeferralPeriod {
    DeferralPeriod(since: time(since), until: until.map(time))
}

/// The pending work of the whole ledger, loaded plugin by plugin.
extension Ledger {
    /// All pending requests, ordered by number.
    func pendingRequests() throws -> [PendingRequest] {
        try snapshot().pendingPlugins.flatMap { try work(of: $0).requests }.sorted { $0.number < $1.number }
    }

    /// All pending events, ordered by number.
    func pendingEvents() throws -> [PendingEvent] {
        try snapshot().pendingPlugins.flatMap { try work(of: $0).events }.sorted { $0.number < $1.number }
    }
}

func note(
    _ message: String,
    plugin: PluginIdentifier = feed,
    at seconds: Int64 = 3_000,
    claim: Claim? = nil
) -> LedgerChange {
    .journal(
        JournalEntry(
            at: time(seconds),
            event: .cancelled,
            plugin: plugin,
            blame: .user,
            message: message,
            claim: claim
        )
    )
}

extension SubmissionNumber: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self.init(rawValue: value) }
}

extension LaunchNumber: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self.init(rawValue: value) }
}
