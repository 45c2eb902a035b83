// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import Scheduling
import TaskModel

/// A core with many pending requests and an environment in which every action succeeds, driven event by event.
struct CoreHost {
    private let plugins: [PluginIdentifier]
    private let entries: [PluginEntry]
    private let each: Int
    private var core: Scheduler
    private var conditions: Conditions
    private var monotonic: Int64 = 1_000_000_000_000
    private var turn = 0
    private var lastReply: UInt64 = 0
    private var ledger: [PluginIdentifier: PluginWork] = [:]
    /// Launches whose task is not completed.
    private var plans: [LaunchPlan] = []
    /// Launches whose tasks are completed and whose runner has not ended.
    private var completed: [LaunchNumber] = []
    /// Launches that have ended since `submitEndedAgain`.
    private var ended: [LaunchPlan] = []

    /// - Parameter capacity: maximum number of background launches at once, on an idle machine. Nil for as many
    ///   launches as plugins, on a machine that is not idle, so that the requests wait for idleness.
    init(plugins count: Int, each: Int, capacity: Int? = nil) {
        plugins = (0..<count).compactMap { PluginIdentifier("com.example.plugin\($0)") }
        self.each = each
        entries = plugins.map { CoreHost.entry($0) }
        conditions = Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: capacity != nil)
        var configuration = SchedulingConfiguration()
        configuration.limits.processing = 1_000_000
        configuration.limits.refresh = 1_000_000
        configuration.policies.stagger = .zero
        configuration.spacing = .zero
        configuration.backgroundLaunches = capacity ?? count
        var policy = PluginPolicy()
        policy.allowsPatternsForProcessing = true
        for plugin in plugins { configuration.plugins[plugin] = policy }
        let start = Moment(
            monotonic: MonotonicTime(nanoseconds: monotonic),
            wall: Self.wall(monotonic),
            boot: BootID("1")
        )
        let snapshot = LedgerSnapshot(
            pendingPlugins: plugins.sorted(),
            known: entries.map { KnownPlugin($0) },
            lastSubmission: SubmissionNumber(rawValue: Int64(count * each)),
            lastLaunch: LaunchNumber(rawValue: 0)
        )
        core = Scheduler(configuration: configuration, conditions: conditions, snapshot: snapshot, at: start)
    }

    private static func entry(_ plugin: PluginIdentifier) -> PluginEntry {
        PluginEntry(
            identifier: plugin,
            name: plugin.text,
            version: "1",
            role: .main,
            permitted: ["task", "task.*", "own"].compactMap { PermittedIdentifier("\(plugin.text).\($0)") },
            modes: [.processing, .fetch],
            library: LibraryFile(path: "/lib/\(plugin.text).so", digest: "d", identity: Self.identity),
            manifestPath: "/manifests/\(plugin.text).yaml",
            manifestDigest: "m"
        )
    }

    private static let identity = FileIdentity(device: 1, inode: 1, size: 1, modified: 1, changed: 1)

    private static func wall(_ monotonic: Int64) -> WallTime {
        WallTime(nanoseconds: 1_767_225_600_000_000_000 + monotonic)
    }

    private var now: Moment {
        Moment(monotonic: MonotonicTime(nanoseconds: monotonic), wall: Self.wall(monotonic), boot: BootID("1"))
    }

    private func task(_ plugin: PluginIdentifier, _ number: Int) -> TaskIdentifier? {
        // 40 bytes, as in the published figures.
        let text = "\(plugin.text).task.\(number)"
        let bytes = Array(text.utf8) + Array(repeating: UInt8(ascii: "x"), count: max(0, 40 - text.utf8.count))
        // Without spare capacity, as the ledger reads it.
        return TaskIdentifier(String(decoding: bytes, as: UTF8.self))
    }

    // MARK: Measuring

    /// Processor seconds of the calling thread for one call of `body`, the least of several rounds.
    ///
    /// - Parameters:
    ///   - before: prepares a round, not measured.
    ///   - after: cleans up after a round, not measured.
    mutating func measure(
        _ count: Int,
        before: (inout CoreHost) -> Void = { _ in },
        after: (inout CoreHost) -> Void = { _ in },
        _ body: (inout CoreHost) -> Void
    ) -> Double {
        var least = Double.infinity
        for _ in 0..<5 {
            before(&self)
            let start = Self.cpu
            for _ in 0..<count { body(&self) }
            least = min(least, (Self.cpu - start) / Double(count))
            after(&self)
        }
        return least
    }

    private static var cpu: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Catalogues the plugins and loads all of their requests.
    ///
    /// - Returns: processor seconds until every request is loaded and its lane evaluated.
    mutating func load() -> Double {
        var number: Int64 = 0
        for plugin in plugins.sorted() {
            var work = PluginWork(plugin: plugin)
            for index in 0..<each {
                number += 1
                guard let identifier = task(plugin, index) else { continue }
                work.requests.append(
                    PendingRequest(
                        plugin: plugin,
                        number: SubmissionNumber(rawValue: number),
                        request: TaskRequest(identifier: identifier, kind: .processing),
                        submitter: .plugin(plugin),
                        submittedAt: now.wall
                    )
                )
            }
            ledger[plugin] = work
        }
        let start = Self.cpu
        send(.catalogued(CatalogueChange(to: Catalogue(entries))))
        advance(by: 5_000_000_000)
        return Self.cpu - start
    }

    mutating func forgetLedger() { ledger = [:] }

    // MARK: Measured operations

    /// Submits one more request that waits for idleness, with its commit.
    mutating func submit() {
        let plugin = next()
        guard let identifier = TaskIdentifier("\(plugin.text).task") else { return }
        submit(TaskRequest(identifier: identifier, kind: .processing), of: plugin)
    }

    /// Number of events of `runToCompletion`: the submission, its commit, runner ready, the commit of the start,
    /// entered, completed, the commit of the outcome, the end of the runner, and the commit of the end.
    static let eventsOfChain = 9.0

    /// Runs one refresh from its submission to the end of its launch.
    mutating func runToCompletion() {
        start()
        complete()
        finish()
    }

    /// Submits one refresh and runs it until its handler has been called.
    mutating func start() {
        let plugin = next()
        guard let identifier = TaskIdentifier("\(plugin.text).own") else { return }
        submit(TaskRequest(identifier: identifier, kind: .refresh), of: plugin)
        if let plan = plans.last { enter(plan) }
    }

    /// Completes one started task, with the commit of its outcome.
    mutating func complete() {
        guard let plan = plans.popLast() else { return }
        completed.append(plan.number)
        for task in plan.tasks { send(.completed(plan.number, task.id, .success)) }
    }

    /// Ends the runners of all completed launches.
    mutating func finish() {
        for number in completed { send(.runnerEnded(number, .exited(code: 0), nil)) }
        completed = []
    }

    mutating func explain() {
        guard let identifier = task(next(), each / 2) else { return }
        precondition(!core.explain(identifier, at: now).states.isEmpty)
    }

    /// Changes the low-memory condition, which adds a reason to every plugin's requests or removes it.
    mutating func setMemoryLow(_ isLow: Bool) {
        conditions.isMemoryLow = isLow
        send(.conditionsChanged(conditions))
        advance(by: 0)
    }

    /// Number of launches that hold capacity.
    var runningCount: Int { plans.count }

    /// The plugins of all launches return from their entries.
    mutating func enterAll() {
        for plan in plans { enter(plan) }
    }

    /// The oldest launch completes its tasks and ends; the plugin that has waited longest is launched in its place.
    mutating func replaceOldestLaunch() {
        guard let plan = plans.first else { return }
        plans.removeFirst()
        ended.append(plan)
        for task in plan.tasks { send(.completed(plan.number, task.id, .success)) }
        send(.runnerEnded(plan.number, .exited(code: 0), nil))
        if let next = plans.last { enter(next) }
    }

    /// Submits the requests of ended launches again, so that as many plugins wait for capacity as before.
    mutating func submitEndedAgain() {
        for plan in ended {
            for case .request(let pending) in plan.tasks.map(\.work) {
                submit(TaskRequest(identifier: pending.request.identifier, kind: .processing), of: pending.plugin)
            }
        }
        ended = []
    }

    private mutating func enter(_ plan: LaunchPlan) {
        let names = plan.tasks.compactMap(\.work.identifier).map(PermittedIdentifier.exact)
        send(.entered(plan.number, status: 0, registered: names, offersReceive: true))
    }

    // MARK: Driving

    private mutating func next() -> PluginIdentifier {
        turn = (turn + 7_919) % plugins.count
        return plugins[turn]
    }

    private mutating func submit(_ request: TaskRequest, of plugin: PluginIdentifier) {
        lastReply += 1
        let submission = Submission(request: request, submitter: .plugin(plugin))
        send(.submitted(submission, reply: ReplyToken(rawValue: lastReply)))
    }

    private mutating func advance(by nanoseconds: Int64) {
        monotonic += nanoseconds
        // The timer processes the remaining work of an event in slices.
        for _ in 0..<(plugins.count / 16 + 8) { send(.timerFired) }
    }

    private mutating func send(_ event: SchedulerEvent) {
        var inbox = [event]
        var index = 0
        while index < inbox.count {
            for action in core.handle(inbox[index], at: now) {
                switch action {
                case .commit(let ticket, _): inbox.append(.committed(ticket))
                case .load(let plugin): inbox.append(.loaded(ledger[plugin] ?? PluginWork(plugin: plugin)))
                case .takeRunner(let launch, _):
                    let process = RunnerProcess(pid: 1, startTime: 1, boot: now.boot, controlGroup: nil)
                    inbox.append(.runnerReady(launch, process))
                case .sendPlan(let plan): plans.append(plan)
                default: break
                }
            }
            index += 1
        }
    }
}
