// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import Logging
import PluginBinary
import PluginLaunch
import RunnerWire
package import SandboxPolicy
package import TaskModel

/// One call of one function in a runner of its own, under a budget and in the sandbox of a launch. It tests a handler
/// with this signature before a manifest binds the function. It needs no host and leaves no records.
package struct FunctionTrial: Sendable {
    static let launch = LaunchNumber(rawValue: 1)
    static let task = TaskID(launch: launch, index: 0)

    /// A placeholder for the task identifier, because a trial has no manifest.
    package static let identifier = named("bgtask.trial.call", TaskIdentifier.init)
    package static let plugin = named("bgtask.trial", PluginIdentifier.init)

    private static func named<Name>(_ text: String, _ make: (String) -> Name?) -> Name {
        guard let name = make(text) else { preconditionFailure("\(text) must be a reverse-DNS name") }
        return name
    }

    let library: String
    let handler: FunctionBinding
    let budget: Duration
    let gracePeriod: Duration
    let payload: [UInt8]
    let container: String
    let settings: [String: String]
    let grants: Grants
    /// The sandbox policy. It contains no directories of a catalogue, because no host takes part in a call.
    let sandboxes: SandboxPolicy

    private let clock = SystemClock()

    /// - Parameters:
    ///   - settings: the values of the arguments `setting`, and of settings that `grants` names.
    ///   - grants: the access of the function beyond library and container.
    package init(
        library: String,
        handler: FunctionBinding,
        budget: Duration,
        gracePeriod: Duration,
        payload: [UInt8],
        container: String,
        settings: [String: String],
        grants: Grants,
        sandboxes: SandboxPolicy
    ) {
        self.library = library
        self.handler = handler
        self.budget = budget
        self.gracePeriod = gracePeriod
        self.payload = payload
        self.container = container
        self.settings = settings
        self.grants = grants
        self.sandboxes = sandboxes
    }

    /// The guarantees of a launch that this call does not have, with the reason.
    package var notEnforced: [UnenforcedGuarantee] { sandboxes.unenforced(by: "bgtask plugin call") }

    /// Calls the function once. Throws `FunctionTrialError` when there is no result: the function crashed, ended its
    /// process or exceeded its time, or could not be called.
    ///
    /// - Parameters:
    ///   - runner: path of the runner's program.
    ///   - environment: environment of this process; the runner gets an allow-list of it.
    ///   - remark: called for each guarantee that is not enforced, each warning, each line of output, each refused
    ///     system call and each violation, in order.
    package func run(
        runner: String,
        environment: [String: String],
        remark: @Sendable (TrialRemark) -> Void
    ) async throws -> FunctionReport {
        let survey = BinarySurvey(path: library, for: .functions([handler.symbol]))
        if let problem = survey.problems.first {
            // The usual message addresses the author of a manifest.
            if problem.code.hasSuffix("-beside-handlers") {
                throw FunctionTrialError(
                    "\(library) has the entry or the bgtask note of a plugin, so its functions cannot be called"
                        + " separately",
                    remedy: "run one of its tasks with: bgtask plugin try MANIFEST TASK; or name a library with neither"
                        + " an entry nor a note"
                )
            }
            throw FunctionTrialError(problem.message, remedy: problem.remedy)
        }
        guard let identity = survey.identity else {
            throw FunctionTrialError(
                "\(library) no longer exists",
                remedy: "restore the file, and call the function again"
            )
        }
        let (events, entrance) = AsyncStream.makeStream(of: LaunchEvent.self)
        let launcher: Launcher
        do throws(LaunchError) {
            launcher = try Launcher(
                runner: runner,
                environment: RunnerEnvironment(from: environment),
                controlGroups: .none,
                unclaimed: .killed { _ in },
                logger: Logger(label: "bgtask") { _ in SwiftLogNoOpLogHandler() }
            ) { entrance.yield($0) }
        } catch {
            throw FunctionTrialError("no runner can be started for the call: \(error.message)")
        }
        for missing in notEnforced { remark(.notEnforced(missing.guarantee, missing.reason)) }
        for warning in sandboxes.warnings(about: grants, settings: settings) { remark(.warning(warning)) }
        launcher.take(for: Self.launch)
        do {
            let report = try await follow(events, of: launcher, identity, remark)
            await launcher.close()
            return report
        } catch {
            await launcher.close()
            throw error
        }
    }

    private func follow(
        _ events: AsyncStream<LaunchEvent>,
        of launcher: Launcher,
        _ identity: FileIdentity,
        _ remark: @Sendable (TrialRemark) -> Void
    ) async throws -> FunctionReport {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            var start = clock.monotonic
            var report: FunctionReport?
            for await event in events {
                switch event {
                case .ready:
                    start = clock.monotonic
                    let sandbox = sandboxes.plan(for: library, LimitedGrant.all(of: grants, settings: settings))
                    let confinement = Confinement(containerPath: container, sandbox: sandbox)
                    launcher.limit(
                        Self.launch,
                        LaunchResources(limits: .none, isBackground: false, isFiltered: confinement.isFiltered)
                    )
                    try launcher.send(.confine(confinement), to: Self.launch)
                    try launcher.send(.plan(plan(from: start, identity)), to: Self.launch)
                    group.addTask { [limit = budget + gracePeriod] in
                        // Cancelled when the runner has ended.
                        do { try await Task.sleep(for: limit) } catch { return }
                        launcher.kill(Self.launch)
                    }
                case .unavailable(_, let error):
                    throw FunctionTrialError("no runner can be started for the call: \(error.message)")
                case .message(_, .loadFailed(let message)), .message(_, .ffiMissing(let message)),
                    .message(_, .sandboxFailed(let message)), .failedByHost(_, let message):
                    throw FunctionTrialError(message)
                case .message(_, .completed(_, let outcome, let text)):
                    let took = clock.monotonic - start
                    report = FunctionReport(self, text ?? "", isSuccess: outcome == .success, took: took)
                    try launcher.send(.stop, to: Self.launch)
                case .message(_, .violation(let kind, let message)):
                    remark(.violation(rule: kind.rule?.rawValue, message: message))
                case .message(_, .log(_, _, let message)): remark(.warning(message))
                case .refused(_, let call): remark(.denied(call))
                case .output(_, let stream, let line):
                    remark(.output(stream: stream.rawValue, line: line))
                case .ended(_, let end):
                    if let report { return report }
                    throw failure(end)
                case .wrote, .unlimited, .message, .malformed, .windowExceeded, .outputDropped, .killTimePassed: break
                }
            }
            throw FunctionTrialError("the connection to the runner was lost; try again")
        }
    }
}
