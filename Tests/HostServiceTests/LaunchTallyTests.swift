// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskLedger
import TaskModel
import Testing

@testable import HostService

@Suite("The counts for metrics follow the committed changes and never fall")
struct LaunchTallyTests {
    private static let launch = LaunchNumber(rawValue: 41)
    private let plugin: PluginIdentifier
    private let identifier: TaskIdentifier

    init() throws {
        plugin = try #require(PluginIdentifier("com.example.feed"))
        identifier = try #require(TaskIdentifier("com.example.feed.refresh"))
    }

    private func time(_ seconds: Int64) -> WallTime { WallTime(nanoseconds: seconds * 1_000_000_000) }

    private func task(submittedAt seconds: Int64 = 100, eligibleSince: Int64? = 160) -> PlannedTask {
        let request = PendingRequest(
            plugin: plugin,
            number: SubmissionNumber(rawValue: 1),
            request: TaskRequest(identifier: identifier, kind: .refresh),
            submitter: .plugin(plugin),
            submittedAt: time(seconds)
        )
        return PlannedTask(
            id: TaskID(launch: Self.launch, index: 0),
            work: .request(request),
            eligibleSince: eligibleSince.map(time)
        )
    }

    private func start(_ task: PlannedTask, of plugin: PluginIdentifier? = nil) -> LedgerChange {
        let entry = PluginEntry(
            identifier: plugin ?? self.plugin,
            name: "Feed",
            version: "1",
            role: .main,
            permitted: [.exact(identifier)],
            modes: [.fetch],
            library: LibraryFile(
                path: "/opt/libFeed.so",
                digest: "ab12",
                identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5)
            ),
            manifestPath: "/etc/feed.yaml",
            manifestDigest: ""
        )
        return .startLaunch(
            LaunchPlan(
                number: Self.launch,
                plugin: entry,
                lane: .background,
                cause: .due,
                tasks: [task],
                budget: LaunchBudget(
                    total: .seconds(30),
                    gracePeriod: .seconds(5),
                    entryLimit: .seconds(30),
                    startingAt: MonotonicTime(nanoseconds: 0)
                ),
                process: RunnerProcess(pid: 1, startTime: 2, boot: BootID("b00t"), controlGroup: nil),
                startedAt: time(163)
            )
        )
    }

    private func entry(_ event: JournalEntry.Event, _ blame: Blame = .nobody, at seconds: Int64 = 200) -> LedgerChange {
        let isTask = if case .task = event { true } else { false }
        return .journal(
            JournalEntry(
                at: time(seconds),
                event: event,
                plugin: plugin,
                launch: Self.launch,
                label: isTask ? identifier.text : nil,
                submission: isTask ? SubmissionNumber(rawValue: 1) : nil,
                blame: blame,
                message: ""
            )
        )
    }

    private func end(used: Duration) -> LedgerChange {
        .endLaunch(
            Self.launch,
            LaunchEnd(outcome: .completed, at: time(200), used: used, blame: .nobody, message: "")
        )
    }

    private func tally(_ changes: [LedgerChange], at seconds: Int64 = 164) -> LaunchTally {
        var tally = LaunchTally()
        for change in changes { observe([change], &tally, at: seconds) }
        return tally
    }

    private func observe(_ changes: [LedgerChange], _ tally: inout LaunchTally, at seconds: Int64 = 164) {
        tally.observe(CommittedGroup(commits: 1, duration: .zero, changes: [changes]), at: time(seconds))
    }

    private let series = TaskSeries(plugin: "com.example.feed", kind: "refresh")
    private let lane = LaunchSeries(plugin: "com.example.feed", lane: "background")

    @Test func `a launch counts its wait, its delay, its outcome, its running time and its use of the budget`() {
        let tally = tally([
            start(task()), entry(.task(.succeeded)), end(used: .seconds(15)), entry(.launch(.completed)),
        ])
        #expect(tally.waits[series]?.sum == 64)
        #expect(tally.delays[series]?.sum == 4)
        #expect(tally.outcomes == [OutcomeSeries(task: series, outcome: .succeeded, blame: .nobody): 1])
        #expect(tally.runs[OutcomeSeries(task: series, outcome: .succeeded)]?.sum == 36)
        #expect(tally.launches == [LaunchEndSeries(launch: lane, outcome: .completed): 1])
        #expect(tally.budgetUses[lane]?.sum == 0.5 && tally.overruns.isEmpty)
        #expect(tally.events[EventSeries(event: "succeeded", blame: .nobody)] == 1)
    }

    @Test func `a launch that used more than its budget counts above all buckets and in the overruns`() {
        let tally = tally([start(task()), end(used: .seconds(33)), entry(.launch(.overran))])
        #expect(tally.budgetUses[lane]?.counts.last == 1)
        #expect(tally.overruns[lane]?.sum == 3)
    }

    @Test func `a wall clock that was set back gives no negative times`() {
        let tally = tally([start(task()), entry(.task(.failed), .plugin, at: 20)], at: 50)
        #expect(tally.waits[series]?.sum == 0 && tally.delays[series]?.sum == 0)
        #expect(tally.runs[OutcomeSeries(task: series, outcome: .failed)]?.sum == 0)
    }

    @Test func `the ends of a launch that an earlier host started count with an unknown kind and lane`() {
        let tally = tally([entry(.task(.interrupted), .host), entry(.launch(.lost), .host)])
        let unknown = TaskSeries(plugin: "com.example.feed", kind: "unknown")
        #expect(tally.outcomes == [OutcomeSeries(task: unknown, outcome: .interrupted, blame: .host): 1])
        #expect(tally.launches.keys.map(\.launch.lane) == ["unknown"] && tally.runs.isEmpty)
    }

    @Test func `entries that the ledger adds to those of its changes count`() throws {
        var tally = LaunchTally()
        guard case .journal(let superseded) = entry(.superseded), case .journal(let cleared) = entry(.cursorCleared)
        else { return }
        let group = CommittedGroup(commits: 1, duration: .zero, changes: [], added: [superseded, cleared])
        tally.observe(group, at: time(1))
        let names = ["superseded", "cursor-cleared"]
        #expect(tally.events.count == 2)
        for name in names { #expect(tally.events[EventSeries(event: name, blame: .nobody)] == 1) }
    }

    private func pushes(_ event: JournalEntry.Event, to label: String = "com.example.feed:push", count: Int? = nil)
        -> LedgerChange
    {
        .journal(
            JournalEntry(
                at: time(1),
                event: event,
                plugin: plugin,
                label: label,
                blame: .nobody,
                message: "",
                count: count
            )
        )
    }

    @Test func `the pushes of a journal entry count by their fate, and requests of tasks do not`() {
        let task = "com.example.feed.refresh"
        let tally = tally([
            pushes(.submitted, count: 5), pushes(.submitted), pushes(.replaced, count: 3), pushes(.lapsed),
            pushes(.task(.crashed)), pushes(.task(.failed)), pushes(.submitted, to: task),
            pushes(.task(.succeeded), to: task),
        ])
        #expect(tally.pushes == [.accepted: 6, .replaced: 3, .lapsed: 1, .delivered: 1])
    }

    @Test func `counted pushes count once, although an entry about them follows`() {
        let sum = PushSum(user: nil, accepted: 5, replaced: 3, lapsed: 1, last: SubmissionNumber(rawValue: 9))
        var tally = tally([.countPushes(plugin, sum)])
        #expect(tally.pushes == [.accepted: 5, .replaced: 3, .lapsed: 1])
        observe(
            [
                pushes(.submitted, count: 5), pushes(.lapsed, count: 1), pushes(.replaced, count: 3),
                .countPushes(plugin, sum.negated),
            ],
            &tally
        )
        #expect(tally.pushes == [.accepted: 5, .replaced: 3, .lapsed: 1])
    }

    @Test func `pushes that the last host counted do not count again when their entry follows`() {
        let sum = PushSum(user: nil, accepted: 5, last: SubmissionNumber(rawValue: 9))
        var tally = LaunchTally()
        observe([pushes(.submitted, count: 5), .countPushes(plugin, sum.negated)], &tally)
        #expect(tally.pushes == [.accepted: 0])
    }

    private func transfer(
        _ state: TransferState,
        _ fault: TransferFault? = nil,
        direction: TransferDescription.Direction = .download,
        bytes: UInt64 = 0
    ) throws -> LedgerChange {
        var transfer = Transfer(
            plugin: plugin,
            number: SubmissionNumber(rawValue: 7),
            direction: direction,
            session: try #require(TransferSession("files")),
            label: nil,
            url: "https://example.com/file",
            place: "7-abcdef",
            begunAt: time(100)
        )
        (transfer.state, transfer.fault, transfer.bytes) = (state, fault, bytes)
        transfer.endedAt = state == .waiting ? nil : time(200)
        return .storeTransfer(transfer)
    }

    @Test func `ended transfers count by direction and result, and tries do not`() throws {
        let tally = tally([
            try transfer(.waiting), try transfer(.waiting, .network, bytes: 10), try transfer(.finished, bytes: 100),
            try transfer(.finished, bytes: 20), try transfer(.failed, .httpStatus, bytes: 5), try transfer(.cancelled),
            try transfer(.finished, direction: .upload, bytes: 3),
        ])
        #expect(
            tally.transfers == [
                TransferSeries(direction: .download, result: "finished"): 2,
                TransferSeries(direction: .download, result: "http-status"): 1,
                TransferSeries(direction: .download, result: "cancelled"): 1,
                TransferSeries(direction: .upload, result: "finished"): 1,
            ]
        )
        #expect(tally.transferBytes == [.download: 120, .upload: 3])
    }

    @Test func `plugins beyond the bound share one label`() throws {
        var labels = PluginLabels()
        for number in 1...PluginLabels.most {
            let plugin = try #require(PluginIdentifier("com.example.p\(number)"))
            #expect(labels.label(of: plugin) == plugin.text)
        }
        #expect(labels.label(of: plugin) == "other")
        #expect(labels.label(of: try #require(PluginIdentifier("com.example.p1"))) == "com.example.p1")
    }
}
