// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import RunnerWire
import TaskModel

/// A launch of a compiled plugin in a real runner, from its plan to its end, by a host that accepts every call and keeps
/// the submitted requests.
struct PlayedLaunch {
    /// The status of entry; nil if entry did not return.
    private(set) var entered: Int32?
    private(set) var registered: [String] = []
    private(set) var loadFailure: String?
    /// The lines that the plugin wrote with `log`, in order.
    private(set) var lines: [String] = []
    private(set) var completions: [TaskID: CompletionOutcome] = [:]
    /// The messages of the completions.
    private(set) var messages: [TaskID: String] = [:]
    private(set) var violations: [ABIRule?] = []
    /// Every submission, in order.
    private(set) var submissions: [ListedRequest] = []
    private(set) var fetchIntervals: [Duration?] = []
    private(set) var assertions: [String] = []
    /// The lines that the process wrote to standard error, such as the report of a sanitizer.
    private(set) var errors: [String] = []
    private(set) var end: RunnerEnd?

    /// The pending request of each identifier, oldest submission first.
    private var pending: [ListedRequest] = []
    private var openTasks: Set<TaskID>
    private var openAssertions: Set<AssertionID> = []

    /// Runs the launch.
    ///
    /// - Parameters:
    ///   - library: path of a compiled library of the plugin.
    ///   - expired: the tasks that the host expires as soon as entry has returned.
    ///   - runner: path of the runner; nil for the one that was built with the tests.
    static func of(
        _ library: String,
        as plugin: PluginIdentifier,
        _ plan: PlayedPlan,
        expired: [TaskID] = [],
        environment: RunnerEnvironment = LaunchFixture.variables,
        runner: String? = nil
    ) async throws -> PlayedLaunch {
        var launch = PlayedLaunch(openTasks: [])
        try await PlayedHost.with(library: library, of: plugin, plan, environment: environment, runner: runner) {
            host in
            for await event in host.events.all {
                switch event {
                case .message(PlayedHost.launch, let message): launch.take(message, plan, expired, from: host)
                case .output(PlayedHost.launch, .standardError, let line): launch.errors.append(line)
                case .ended(PlayedHost.launch, let end):
                    launch.end = end
                    return
                default: break
                }
            }
        }
        return launch
    }

    private init(openTasks: Set<TaskID>) { self.openTasks = openTasks }

    private mutating func take(
        _ message: RunnerMessage,
        _ plan: PlayedPlan,
        _ expired: [TaskID],
        from host: PlayedHost
    ) {
        switch message {
        case .entered(let status, let names, let offersReceive, _):
            entered = status
            registered = names.map { "\($0)" }
            let delivered = plan.tasks.filter {
                $0.kind == .event ? offersReceive : registered.contains($0.identifier)
            }
            openTasks = Set(delivered.map(\.id))
            if !expired.isEmpty { send(.expire(expired, .budget), to: host) }
            stopIfDone(host)
        case .loadFailed(let text): loadFailure = text
        case .log(_, _, let line): lines.append(line)
        case .violation(let kind, _): violations.append(kind.rule)
        case .fetchInterval(let interval): fetchIntervals.append(interval)
        case .completed(let task, let outcome, let text):
            completions[task] = outcome
            messages[task] = text
            openTasks.remove(task)
            stopIfDone(host)
        case .assertionBegan(let assertion, let name):
            openAssertions.insert(assertion)
            assertions.append(name)
        case .assertionEnded(let assertion):
            openAssertions.remove(assertion)
            stopIfDone(host)
        case .submit(let call, let request, let payload):
            let number = SubmissionNumber(rawValue: Int64(submissions.count + 1))
            let listed = ListedRequest(request: request, number: number, payload: payload)
            submissions.append(listed)
            pending.removeAll { $0.request.identifier == request.identifier }
            pending.append(listed)
            send(.submitted(call, number), to: host)
        case .cancel(let call, let identifier):
            pending.removeAll { $0.request.identifier == identifier }
            send(.cancelled(call, isRecorded: true), to: host)
        case .cancelAll(let call):
            pending = []
            send(.cancelled(call, isRecorded: true), to: host)
        case .pending(let call): send(.pending(call, pending), to: host)
        default: break
        }
    }

    private func stopIfDone(_ host: PlayedHost) {
        if openTasks.isEmpty, openAssertions.isEmpty { send(.stop, to: host) }
    }

    /// Sends a message, unless the runner has ended: its end follows as an event.
    private func send(_ message: HostMessage, to host: PlayedHost) { try? host.send(message) }
}
