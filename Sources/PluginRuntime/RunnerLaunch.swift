// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Glibc
import LinuxSystem
import PluginBinary
import RunnerWire
import Synchronization
import TaskModel

/// One launch inside its process: entry, delivery, expiration and end. The tables decide which calls of the plugin are
/// allowed. The host checks the resulting messages again independently.
///
/// No lock is held while plugin code runs. Messages whose order matters are sent under the lock that orders them.
final class RunnerLaunch: Sendable {
    typealias Handler = TaskHandler
    typealias ExpirationHandler = Callback<bgt_expiration_handler>

    struct State {
        var registrations: RegistrationTable<Handler>
        var tasks: TaskTable<ExpirationHandler>
        var assertions: AssertionTable<AssertionHandler>
        /// Information about the tasks that are not completed, including tasks of the batch that have no handler.
        var open: [TaskID: OpenTask]
        var reports = ReportTable<ReportKey, RunnerMessage>()
        var cursors: CursorTable
        /// Tasks whose progress report is held by `reports` and by the task's slot: the slot may have a newer one.
        var held: Set<TaskID> = []
        /// The optional functions of the plugin; nil until entry has succeeded.
        var hooks: PluginHooks?
        /// Whether the launch has ended. Calls of the plugin that return a status then return `BGT_ENDED`.
        var hasEnded = false
    }

    let plan: RunnerPlan
    /// Path of the plugin's container.
    let container: String
    let memory: LaunchMemory
    /// The memory of the cursors; nil when the host passed none.
    let cursorMemory: CursorMemory?
    let cursorVersions = CursorVersions()
    let channel: HostChannel
    let calls = CallTable()
    let refusals = EntryRefusals()
    let state: Mutex<State>
    let slots: TaskSlots
    /// The files of ended transfers that the host has listed, relative to the container.
    let transferFiles = Mutex<[SubmissionNumber: String]>([:])
    let activity = PluginActivity()
    /// The number of assertion handlers that run, or whose context is being released.
    let assertionCalls = Monitor(0)
    let running: RunningTasks
    let queues: TaskQueues
    private let reserve: WorkQueue
    let watch = ProcessWatch()
    let mainLoop = MainLoop()
    private let violations = Atomic(0)
    /// Stage of the launch's end; nil until the host's stop message.
    let endStage = Mutex<EndStage?>(nil)
    let isFinishing = Atomic(false)

    /// Creates the launch from its plan.
    ///
    /// - Parameters:
    ///   - cursors: the memory of the cursors; nil when the host passed none.
    ///   - spare: queue for tasks for which the system has no thread.
    ///   - reserve: queue for expiration handlers and the end of the launch in that case; no task of the plugin delays
    ///     it.
    init(
        _ plan: RunnerPlan,
        container: String,
        channel: HostChannel,
        cursors cursorMemory: CursorMemory?,
        running: RunningTasks,
        spare: WorkQueue,
        reserve: WorkQueue
    ) {
        self.plan = plan
        self.container = container
        memory = LaunchMemory(plan)
        self.cursorMemory = cursorMemory
        var cursors = CursorTable(of: plan.launch)
        for task in plan.tasks { cursors.add(task) }
        slots = TaskSlots(of: plan.launch)
        self.channel = channel
        self.running = running
        queues = TaskQueues(plan.tasks, spare: spare)
        self.reserve = reserve
        let registrations = RegistrationTable<Handler>(
            role: plan.role,
            permitted: plan.registrable,
            late: LateRegistration(plan)
        )
        let tasks = TaskTable<ExpirationHandler>(
            plan.tasks.map(\.id),
            continued: Set(plan.tasks.filter(\.hasProgress).map(\.id)),
            deadline: plan.deadline,
            gracePeriod: plan.gracePeriod
        )
        let assertions = AssertionTable<AssertionHandler>(launch: plan.launch)
        let isGuarded = plan.imitation.contains(.guardedTasks)
        let open = plan.tasks.map {
            ($0.id, OpenTask($0, of: plan.plugin, isOfBatch: true, isGuarded: isGuarded))
        }
        state = Mutex(
            State(
                registrations: registrations,
                tasks: tasks,
                assertions: assertions,
                open: Dictionary(open, uniquingKeysWith: { first, _ in first }),
                cursors: cursors
            )
        )
        for task in plan.tasks { state.withLock { $0.assumeTitles(of: task) } }
    }

    // MARK: From loading to the plugin's main loop

    /// Loads the library and runs entry, then `run_main` if the plugin offers it. For a plugin with bound functions it
    /// looks up these functions instead. Called on the main thread, after the control thread has started.
    func run() -> Never {
        do throws(PluginLibrary.LoadError) {
            if plan.handlers.isEmpty {
                enter(try PluginLibrary.open(plan, for: .entry).entry())
            } else {
                register(try boundFunctions())
                start(PluginHooks(bgt_plugin()))
            }
        } catch {
            let message = error.message
            channel.send(error.isFFIMissing ? .ffiMissing(message: message) : .loadFailed(message: message))
            finish()
        }
        while true { pause() }
    }

    private func enter(_ entry: bgt_plugin_entry) {
        let blocked = ProcessWatch.blockedSignals()
        let page = EntryPage()
        let status = ThreadRole.with(.callback) { entry(HostTable.address, page.plugin) }
        let nowBlocked = ProcessWatch.blockedSignals()
        if nowBlocked != blocked {
            let names = nowBlocked.isEmpty ? "none" : nowBlocked.map(signalName).joined(separator: ", ")
            violation(
                .changedSignalMask,
                "entry changed the signal mask, blocked signals now: \(names); restore the mask before entry returns"
            )
        }
        watch.acceptRuntimes()
        let cause = refusals.close(for: status)
        if status != BGT_OK { return abandon(status, cause) }
        switch page.read() {
        case .success(let plugin): start(PluginHooks(plugin))
        case .failure(let flaw):
            violation(flaw.kind, flaw.message)
            abandon(flaw.status, flaw.message)
        }
    }

    private func start(_ hooks: PluginHooks) {
        for task in open(hooks) { begin(task, hooks) }
        if hooks.offersMain, mainLoop.begin() { ThreadRole.with(.mainLoop) { hooks.runMain() } }
    }

    /// Ends a launch whose entry has failed.
    ///
    /// - Parameter cause: the refused call whose status entry returned, or the flaw of the filled struct.
    private func abandon(_ status: Int32, _ cause: String?) {
        let (dropped, assertions) = state.withLock { state in
            state.tasks.deliver([])
            let dropped = state.registrations.closeEntry(succeeded: false)
            channel.send(.entered(status: status, registered: [], offersReceive: false, cause: cause))
            return (dropped, state.assertions.close())
        }
        for handler in dropped { handler.release() }
        for handler in assertions { handler.release() }
    }

    /// Marks entry as succeeded and reports it to the host.
    ///
    /// - Returns: the tasks of the batch that can be delivered: tasks with a registered handler, and events if the
    ///   plugin has a function `receive`.
    private func open(_ hooks: PluginHooks) -> [RunnerPlan.Task] {
        state.withLock { state in
            _ = state.registrations.closeEntry(succeeded: true)
            if state.hasEnded { return [] }
            state.hooks = hooks
            let taken = plan.tasks.filter { task in
                if task.kind == .event { return hooks.offersReceive }
                guard let identifier = task.handlerName else { return false }
                return state.registrations.isRegistered(identifier)
            }
            state.tasks.deliver(taken.map(\.id))
            for task in taken { slots.open(task.id) }
            // Sent before any handler can complete its task: the host rejects a completion before entry has succeeded.
            let registered = state.registrations.names
            channel.send(.entered(status: BGT_OK, registered: registered, offersReceive: hooks.offersReceive))
            return taken
        }
    }

    func begin(_ task: RunnerPlan.Task, _ hooks: PluginHooks) {
        if task.kind == .event {
            queues.add(task) { self.receive(task.id, hooks) }
        } else if let identifier = task.handlerName {
            queues.add(task) { self.handle(task.id, identifier) }
        }
    }

    private func receive(_ event: TaskID, _ hooks: PluginHooks) {
        activity.callback {
            if state.withLock({ $0.hasEnded }) { return }
            running.during(event) { hooks.receive(event.rawValue) }
        }
    }

    private func handle(_ task: TaskID, _ identifier: TaskIdentifier) {
        activity.callback {
            guard let call = state.withLock({ $0.registrations.beginCall(for: identifier) }) else { return }
            running.during(task) {
                switch call.handler {
                case .registered(let callback): callback.function(callback.context, HostTable.address, task.rawValue)
                case .bound(let function): self.call(function, for: task)
                }
            }
            state.withLock { $0.registrations.endCall(call) }?.release()
        }
    }

    // MARK: Expiration

    /// Expires the selected tasks. Called by the control thread; never blocks.
    ///
    /// - Parameter isAnnounced: whether to report the expiration to the host.
    func expire(
        _ tasks: TaskTable<ExpirationHandler>.Selection,
        _ reason: ExpirationReason,
        isAnnounced: Bool
    ) {
        let expired = state.withLock { state in
            let expired = state.tasks.expire(tasks, reason, at: .now)
            for expiration in expired { slots.close(expiration.task) }
            if isAnnounced, !expired.isEmpty { channel.send(.expiring(expired.map(\.task), reason)) }
            return expired
        }
        for expiration in expired where expiration.mustCall { startExpirationCall(of: expiration.task) }
    }

    func startExpirationCall(of task: TaskID) {
        onThread(named: "bgtask-expire") { self.callExpirationHandler(of: task) }
    }

    private func callExpirationHandler(of task: TaskID) {
        // Counted before the handler is taken: the end of the launch cannot overlook a call that begins.
        activity.callback {
            guard let (handler, reason) = state.withLock({ $0.tasks.beginCall(of: task) }) else { return }
            running.during(task) {
                let number = plan.imitation.number(reason.rawValue)
                handler.function(handler.context, HostTable.address, task.rawValue, number)
            }
            state.withLock { $0.tasks.endCall(of: task) }?.release()
        }
    }

    func onThread(named name: String, _ body: @escaping @Sendable () -> Void) {
        if !WorkerThread.start(named: name, body) { reserve.add(body) }
    }

    /// Reports that a callback ended its thread instead of returning (BGT-ABI-15). The callback no longer counts as
    /// running, and the runner forgets the task of the thread. Called on the ending thread.
    ///
    /// - Parameter role: the role that the thread had.
    func threadEnded(in role: ThreadRole) {
        violation(
            .endedThread,
            "a callback ended its thread with pthread_exit or pthread_cancel instead of returning;"
                + " return from the callback"
        )
        running.forgetCurrentThread()
        if role.contains(.assertionHandler) { assertionCalls.change { $0 -= 1 } }
        if role.contains(.counted) { activity.callbackEnded() }
    }

    /// Reports a violation by the plugin to the host, at most `ViolationLimit.sent` in a launch. The result of the
    /// violating call does not change.
    func violation(_ kind: ViolationKind, _ message: String) {
        let count = violations.add(1, ordering: .relaxed).newValue
        if count <= ViolationLimit.sent { channel.send(.violation(kind, message: message)) }
    }
}
