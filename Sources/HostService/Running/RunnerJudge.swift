// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import PluginLaunch
import RunnerWire
import SandboxPolicy
import Scheduling
import TaskModel

/// Translates the messages of a launch's runner into scheduler events. It bounds the texts of the messages, and checks
/// titles, submissions and failures to load. The scheduler checks tasks and registrations against the plan of the
/// launch.
///
/// A runner prevents most violations itself. A message that commits such a violation arrives only when the plugin wrote
/// it to the channel directly.
struct RunnerJudge: Hashable {
    let launch: LaunchNumber
    let plugin: PluginIdentifier
    /// The library as examined by the catalogue.
    private let library: LibraryFile
    /// The files beside the library as examined by the catalogue; the sandbox opens no other files.
    private let companions: [CompanionFile]
    /// The unfinished continued tasks. Other tasks have no title.
    private var continuedTasks: Set<TaskID> = []
    /// The task identifier, or the name of the event, of each task that the launch has received.
    private var labels: [TaskID: String] = [:]
    /// The labels of the tasks, in the order of their delivery.
    private(set) var tasks: [String] = []
    private var hasDroppedOutput = false
    private var hasEntered = false
    /// Whether the runner still has to report its filter of system calls, before it maps any code of the plugin.
    private var isConfinementDue: Bool
    /// Whether the plan was sent. Until then no code of the plugin runs.
    private var hasPlan = false
    private var deniedGroups: Set<DeniedCall.Group> = []
    /// Number of journaled refusals of system calls of this launch that no grant allows.
    private var ungrantableDenials = 0
    private let grants: [LimitedGrant]

    /// Creates the judge of a launch without tasks.
    ///
    /// - Parameters:
    ///   - grants: the grants of the plugin, under the limits of the operator.
    ///   - isFiltered: whether the launch has a filter of system calls.
    init(of launch: LaunchNumber, _ entry: PluginEntry, grants: [LimitedGrant] = [], isFiltered: Bool = false) {
        self.launch = launch
        plugin = entry.identifier
        library = entry.library
        companions = if case .files(let files) = entry.companions { files } else { [] }
        self.grants = grants
        isConfinementDue = isFiltered
    }

    /// Records that the plan with these tasks was sent: from now on wrong messages are violations of the plugin, and no
    /// longer failures of the host.
    mutating func planSent(with tasks: [PlannedTask]) {
        hasPlan = true
        for task in tasks { delivered(task) }
    }

    /// Adds a task of the batch, or one that was delivered to the running launch.
    mutating func delivered(_ task: PlannedTask) {
        if task.work.kind == .continued { continuedTasks.insert(task.id) }
        labels[task.id] = task.work.label
        tasks.append(task.work.label)
    }

    /// The task identifier, or the name of the event, of a task; nil for an unknown task.
    func label(of task: TaskID) -> String? { labels[task] }

    private func isReplaced(_ now: (_ path: String) -> FileIdentity?) -> Bool {
        now(library.path) != library.identity || companions.contains { now($0.path)?.key != $0.key }
    }

    // MARK: - Messages

    /// Judges one message of the runner.
    ///
    /// - Parameters:
    ///   - libraryNow: returns the identity of the file at a path; called only when the library could not be loaded.
    ///   - isLoadingFunctions: whether the launch binds functions and its entry has not returned.
    mutating func judge(
        _ message: RunnerMessage,
        libraryNow: (_ path: String) -> FileIdentity?,
        isLoadingFunctions: Bool
    ) -> RunnerVerdict {
        switch message {
        case .entered(let status, let registered, let offersReceive, let cause):
            hasEntered = true
            return .event(
                .entered(
                    launch,
                    status: status,
                    registered: registered,
                    offersReceive: offersReceive,
                    cause: cause.map { Self.bounded(Self.bounded($0).terminalSafe) }
                )
            )
        case .loadFailed(let message) where isReplaced(libraryNow):
            // The library, or a file beside it, was replaced: the launch is repeated with the new one.
            return .libraryChanged(.launchFailedByHost(launch, message: Self.bounded(message)))
        // libffi of this machine is missing or defective, which is not the plugin's fault. A launch whose entry has
        // returned, or that binds no functions, cannot report this.
        case .ffiMissing(let message) where isLoadingFunctions:
            return .event(.launchFailedByHost(launch, message: Self.bounded(message)))
        // The host found the mechanism at its start, and the kernel refused it in this process.
        case .sandboxFailed(let message) where !hasEntered:
            return .event(.launchFailedByHost(launch, message: Self.bounded(message)))
        case .loadFailed(let message), .ffiMissing(let message), .sandboxFailed(let message):
            return .event(.loadFailed(launch, message: Self.bounded(message)))
        case .confined:
            isConfinementDue = false
            return .nothing
        case .registered(let identifier): return .event(.registered(launch, identifier))
        case .completed(let task, let outcome, let message):
            continuedTasks.remove(task)
            let limit = RunnerMessage.longestCompletionMessage
            // Cut first: an unmodified runner sends no longer text, and each escaped character grows.
            let text = message.map { Self.bounded(Self.bounded($0, limit: limit).terminalSafe, limit: limit) }
            return .taskEnded(task, .completed(launch, task, outcome, message: text))
        case .cursorWritten(let task, _): return .cursor(task)
        case .checkpoint(let call, let task, let number): return .checkpoint(call, task, number: number)
        case .progress(let task, let progress): return .event(.progressed(launch, task, progress))
        case .title(let task, let title, let subtitle):
            return judgeTitle(TaskTitles.Titles(title: title, subtitle: subtitle), of: task)
        case .fetchInterval(let interval): return .event(.fetchIntervalSet(launch, interval))
        case .expirationHandler(let task, let isSet):
            return .event(.expirationHandlerChanged(launch, task, isSet: isSet))
        case .expiring(let tasks, let reason): return .event(.runnerExpired(launch, tasks, reason))
        case .assertionBegan(let id, let name): return .event(.assertionBegan(launch, id, name: name))
        case .assertionEnded(let id): return .event(.assertionEnded(launch, id))
        case .violation(let kind, let message):
            return .event(.violated(launch, rule: kind.rule, message: Self.bounded(message)))
        case .submit(let call, let request, let payload): return judgeSubmission(request, payload, call)
        case .cancel(let call, let identifier): return .question(call, .cancel(identifier, of: plugin, from: launch))
        case .cancelAll(let call): return .question(call, .cancelAll(of: plugin, from: launch))
        case .pending(let call): return .pendingList(call, of: plugin)
        case .registerForPushes(let call): return .pushToken(call, of: plugin, isRegistration: true)
        case .unregisterForPushes(let call): return .pushToken(call, of: plugin, isRegistration: false)
        case .beginTransfer(let call, let transfer, let earliestBegin, let expiresAt):
            let begin = RunnerTransferMessage.begin(
                call,
                transfer,
                earliestBegin: earliestBegin,
                expiresAt: expiresAt
            )
            return .transfer(begin, of: plugin)
        case .cancelTransfer(let call, let number): return .transfer(.cancel(call, number), of: plugin)
        case .transfers(let call, let session): return .transfer(.list(call, of: session), of: plugin)
        case .transferTaken(let number): return .transfer(.taken(number), of: plugin)
        case .transferEnded(let task, let end): return .transfer(.ended(task, end.bounded), of: plugin)
        case .notificationContent(let task, let json):
            return .event(.notificationChanged(launch, task, NotificationJSON.content(json)))
        case .log(let level, let task, let message):
            // Each byte that is not UTF-8 was replaced by three bytes.
            return .log(level, of: task, Self.bounded(message, limit: 3 * 4_096))
        case .stopped: return .nothing
        }
    }

    private func judgeTitle(_ titles: TaskTitles.Titles, of task: TaskID) -> RunnerVerdict {
        let problem = ContinuedTerms.titleProblem(title: titles.title, subtitle: titles.subtitle)
        if problem == nil, continuedTasks.contains(task) { return .title(task, titles) }
        let flaw =
            problem == nil
            ? "which is no running continued task of launch \(launch); set titles only of running continued tasks"
            : "but the title is empty, or the title or subtitle has more than \(ContinuedTerms.maximumTitle) bytes;"
                + " the runner prevents this, so the plugin wrote to the runner's socket; \(Self.channelRemedy)"
        let message = "\(plugin) set a title of task \(task), \(flaw)"
        return .event(.violated(launch, rule: .numbers, message: message))
    }

    private func judgeSubmission(_ request: TaskRequest, _ payload: [UInt8], _ call: CallNumber) -> RunnerVerdict {
        if let flaw = request.flaw(with: payload) {
            return .answer(.refused(call, SubmissionRefusal(code: .unavailable, subReason: .notOffered, message: flaw)))
        }
        let submitter = Submitter.plugin(plugin)
        return .question(
            call,
            .submit(Submission(request: request, payload: payload, submitter: submitter, launch: launch))
        )
    }

    /// A text of the runner for journal and log, cut at `limit` bytes.
    private static func bounded(_ text: String, limit: Int = 4_096) -> String { text.bounded(toBytes: limit) }

    // MARK: - Output

    /// The journaled refusal of a system call; nil when a call of the same group was refused before in this launch, or
    /// when no grant allows the call and the launch has reached the maximum number of such entries.
    mutating func refused(_ call: DeniedCall) -> SchedulerEvent? {
        let limit = DeniedCall.mostUngrantableJournaled
        guard call.isGrantable || ungrantableDenials < limit, deniedGroups.insert(call.group).inserted else {
            return nil
        }
        if !call.isGrantable { ungrantableDenials += 1 }
        let isLast = !call.isGrantable && ungrantableDenials == limit
        let rest = isLast ? "; further refused calls of this launch that no grant allows are not journaled" : ""
        return .denied(launch, message: call.message(grants: grants) + rest)
    }

    /// The violation that a plugin writes more output than its rate limit allows, so that lines are dropped. Returned
    /// for the first drop of a launch; nil for later drops.
    mutating func droppedOutput(of stream: RunnerOutput) -> SchedulerEvent? {
        if hasDroppedOutput { return nil }
        hasDroppedOutput = true
        let rule =
            "the log accepts \(LineRateLimit.burst) lines at once and then \(LineRateLimit.linesPerSecond) per second"
        let message =
            "\(rule): \(stream.rawValue) lines above this rate are dropped; write less, or to a file in the container"
        return .violated(launch, rule: nil, message: message)
    }
}

// Violations of the channel, and the end of a launch.
extension RunnerJudge {
    private static let channelRemedy = "do not touch descriptors that the plugin did not open"

    func malformed(_ message: String) -> SchedulerEvent { misused(message) }

    func windowExceeded() -> SchedulerEvent {
        misused(
            "more than \(CallWindow.limit) calls were unanswered at once; the runner prevents this, so the plugin"
                + " wrote to the runner's socket"
        )
    }

    /// The event for a message that no unmodified runner sends. With a plan it is a violation of the plugin; before the
    /// plan, when no code of the plugin runs, a failure of the host.
    private func misused(_ message: String) -> SchedulerEvent {
        if hasPlan { return .violated(launch, rule: .processOfHost, message: "\(message); \(Self.channelRemedy)") }
        let message =
            "the runner sent a wrong message before its plan: \(message);"
            + " install bgtaskd and bgtask-runner of one release"
        return .launchFailedByHost(launch, message: message)
    }

    /// The scheduler events for the end of this launch. In a launch with a filter of system calls, a runner that ends
    /// by a signal before it loads the plugin is a failure of the host, unless the host killed it.
    func end(_ end: RunnerEnd) -> [SchedulerEvent] {
        let events = Self.end(end, of: launch)
        guard isConfinementDue, !end.wasKilled, case .signaled = end.termination else { return events }
        let message = "the runner ended before it loaded the plugin: \(end.termination.words)"
        return [.launchFailedByHost(launch, message: message)] + events
    }

    /// The scheduler events for the end of a launch. Leftover processes are a violation only when the launch ended by
    /// itself, in order.
    static func end(_ end: RunnerEnd, of launch: LaunchNumber) -> [SchedulerEvent] {
        let ended = SchedulerEvent.runnerEnded(launch, end.termination, end.lastWords)
        guard end.leftRunning > 0, !end.wasKilled, case .exited = end.termination else { return [ended] }
        let processes =
            end.leftRunning == 1 ? "a process of the plugin was" : "\(end.leftRunning) processes of the plugin were"
        let message =
            "\(processes) still running when the launch ended; the host kills leftover processes;"
            + " wait for started processes before the last task is completed"
        return [.violated(launch, rule: .processOfHost, message: message), ended]
    }
}
