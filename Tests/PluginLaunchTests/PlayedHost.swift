// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LinuxSystem
import PluginBinary
import PluginLaunch
import RunnerWire
import TaskModel

/// A real runner with a real plugin. The test replaces the host's scheduler, and exchanges messages with the runner.
struct PlayedHost {
    struct Missing: Error {
        let path: String
    }

    static let launch: LaunchNumber = 7

    let launcher: Launcher
    let events: EventLog
    let directory: String

    /// Runs `body` with a real runner that has received the plan for a plugin.
    ///
    /// - Parameters:
    ///   - source: name of a plugin in `Tests/MisbehavingPlugins`.
    ///   - plan: the launch's plan without plugin and library, which are filled in.
    static func with(
        _ source: String,
        _ plan: PlayedPlan,
        _ body: (PlayedHost) async throws -> Void
    ) async throws {
        try await withScratch { directory in
            let library = "\(directory)/lib\(source).so"
            let tests = (#filePath as NSString).deletingLastPathComponent + "/.."
            try StandIn.compile([
                "-std=c11", "-D_DEFAULT_SOURCE", "-shared", "-fPIC", "-pthread",
                "-I", "\(tests)/../SDK/Sources/CBackgroundTasks/include",
                "-o", library, "\(tests)/MisbehavingPlugins/\(source).c",
            ])
            guard let plugin = PluginIdentifier("com.example.\(source.lowercased())") else {
                throw Missing(path: source)
            }
            try await with(library: library, of: plugin, plan, in: directory, body)
        }
    }

    /// Runs `body` with a real runner that has received the plan for a compiled library.
    ///
    /// - Parameters:
    ///   - library: path of a compiled library of the plugin.
    ///   - runner: path of the runner; nil for the one that was built with the tests.
    static func with(
        library: String,
        of plugin: PluginIdentifier,
        _ plan: PlayedPlan,
        environment: RunnerEnvironment = LaunchFixture.variables,
        runner: String? = nil,
        _ body: (PlayedHost) async throws -> Void
    ) async throws {
        try await withScratch {
            try await with(library: library, of: plugin, plan, in: $0, environment: environment, runner: runner, body)
        }
    }

    private static func with(
        library: String,
        of plugin: PluginIdentifier,
        _ plan: PlayedPlan,
        in directory: String,
        environment: RunnerEnvironment = LaunchFixture.variables,
        runner: String? = nil,
        _ body: (PlayedHost) async throws -> Void
    ) async throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let runner = runner ?? (own as NSString).deletingLastPathComponent + "/bgtask-runner"
        guard FileManager.default.isExecutableFile(atPath: runner) else { throw Missing(path: runner) }
        try await LaunchFixture.with(runner: runner, in: directory, environment: environment) { fixture in
            let host = PlayedHost(launcher: fixture.launcher, events: fixture.events, directory: directory)
            fixture.launcher.take(for: launch)
            _ = await host.events.ready(launch)
            guard let identity = FileIdentity(ofPath: library) else { throw Missing(path: library) }
            try host.send(.confine(plan.confinement(container: directory)))
            try host.send(.plan(plan.runnerPlan(of: plugin, library, identity)))
            try await body(host)
        }
    }

    static func now() -> MonotonicTime { SystemClock().monotonic }

    // MARK: Messages of the core

    func send(_ message: HostMessage) throws { try launcher.send(message, to: Self.launch) }

    /// Waits for the submission of an identifier, accepts it with `index` as its number, and delivers the task to the
    /// launch.
    func deliverSubmission(of identifier: String, as index: Int) async throws -> TaskID {
        let (call, request, payload) = await submission(of: identifier)
        let id = TaskID(launch: Self.launch, index: index)
        try send(.submitted(call, SubmissionNumber(rawValue: Int64(index))))
        try send(
            .deliver(
                RunnerPlan.Task(
                    id: id,
                    kind: request.kind,
                    event: nil,
                    identifier: identifier,
                    submission: SubmissionNumber(rawValue: Int64(index)),
                    attempts: 0,
                    protection: request.protection,
                    continued: request.continued,
                    payload: payload
                )
            )
        )
        return id
    }

    /// Ends the launch in order and returns its end.
    func stop() async throws -> RunnerEnd {
        try send(.stop)
        return await events.end(Self.launch)
    }

    // MARK: Messages to the core

    var messages: [RunnerMessage] { events.messages(Self.launch) }

    func first<Value: Sendable>(_ pick: @escaping @Sendable (RunnerMessage) -> Value?) async -> Value {
        await events.first { event in
            if case .message(Self.launch, let message) = event { pick(message) } else { nil }
        }
    }

    func submission(of identifier: String) async -> (CallNumber, TaskRequest, payload: [UInt8]) {
        await first { message in
            guard case .submit(let call, let request, let payload) = message, request.identifier.text == identifier
            else { return nil }
            return (call, request, payload)
        }
    }

    func completion(of task: TaskID) async -> CompletionOutcome {
        await first { if case .completed(task, let outcome, _) = $0 { outcome } else { nil } }
    }

    /// Waits for the result of a bound function: outcome and text. If the function was not called, the text is the
    /// reason and the outcome is nil.
    func returned(_ task: TaskID) async -> (outcome: CompletionOutcome?, text: String) {
        await events.first { event in
            switch event {
            case .message(Self.launch, .completed(task, let outcome, let text?)): (outcome, text)
            case .message(Self.launch, .loadFailed(let message)): (nil, message)
            case .message(Self.launch, .ffiMissing(let message)): (nil, message)
            case .ended(Self.launch, let end): (nil, "\(end)")
            default: nil
            }
        }
    }

    func logged(_ line: String) async {
        _ = await first { if case .log(_, _, line) = $0 { true } else { nil } }
    }

    // MARK: The plugin's directory

    func text(_ file: String) -> String { (try? String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8)) ?? "" }

    /// Creates the file for which the waiting plugins poll.
    func release() throws { try Data().write(to: URL(filePath: "\(directory)/release")) }
}

/// The part of a launch's plan that a test sets. `PlayedHost` fills in the rest.
struct PlayedPlan {
    var role = PluginRole.main
    var lane = Lane.background
    var permitted: [String] = []
    var modes: Set<BackgroundMode> = [.fetch, .processing]
    /// Whether the plan says that the host has examined the library.
    var isExamined = false
    /// The identity of the library in the plan; nil for that of the file.
    var identity: FileIdentity?
    var settings: [String: String] = [:]
    var handlers: [FunctionBinding] = []
    /// The budget, which begins when `runnerPlan` makes the plan; nil without a fixed budget.
    var budget: Duration? = .seconds(600)
    var gracePeriod: Duration = .seconds(60)
    var tasks: [RunnerPlan.Task] = []
    /// The user ID of the runner; nil for the user of the test. `processLimit` is the maximum number of that user's
    /// processes and threads; nil for no limit.
    var user: UInt32?
    var processLimit: UInt32?

    func confinement(container: String) -> Confinement {
        Confinement(user: user, processLimit: processLimit, containerPath: container)
    }

    func runnerPlan(
        of plugin: PluginIdentifier,
        _ library: String,
        _ identity: FileIdentity
    ) -> RunnerPlan {
        let now = PlayedHost.now()
        return RunnerPlan(
            launch: PlayedHost.launch,
            plugin: plugin,
            role: role,
            lane: lane,
            cause: .user,
            libraryPath: library,
            libraryIdentity: self.identity ?? identity,
            isExamined: isExamined,
            permitted: permitted.compactMap { PermittedIdentifier("\(plugin).\($0)") },
            modes: modes,
            settings: settings,
            handlers: handlers,
            supportedResources: [.gpu],
            hostVersion: "0.0.1",
            deadline: budget.map { now + $0 },
            entryDeadline: now + (budget ?? .seconds(30)),
            gracePeriod: gracePeriod,
            tasks: tasks
        )
    }

    static func task(
        _ identifier: String,
        _ kind: TaskKind = .processing,
        index: Int = 0,
        protection: ProtectionType = .untilFirstAuthentication,
        continued: ContinuedTerms? = nil,
        payload: [UInt8] = [],
        claim: Claim? = nil
    ) -> RunnerPlan.Task {
        RunnerPlan.Task(
            id: TaskID(launch: PlayedHost.launch, index: index),
            kind: kind,
            event: kind == .event ? .fetch : nil,
            identifier: identifier,
            submission: SubmissionNumber(rawValue: 40 + Int64(index)),
            attempts: 0,
            requiresExternalPower: kind == .healthResearch,
            protection: protection,
            continued: continued,
            payload: payload,
            claim: claim
        )
    }
}

extension PluginIdentifier: ExpressibleByStringLiteral {
    /// Creates a plugin identifier from a string literal. An invalid one stops the test run.
    public init(stringLiteral text: String) {
        guard let identifier = PluginIdentifier(text) else { preconditionFailure("\(text) is not a plugin's name") }
        self = identifier
    }
}
