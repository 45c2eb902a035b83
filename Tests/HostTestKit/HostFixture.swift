// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
package import ControlClient
import Foundation
import Synchronization

/// A real host with real plugins in its own directory, for the duration of one test.
package final class HostFixture: Sendable {
    package let directory: ScratchDirectory
    package let client: ControlClient
    private let state: Mutex<State>

    private struct State {
        var setup: HostSetup
        var process: ChildProcess?
        var notifications: NotificationSocket?
        /// The socket that the test passes to its hosts; nil when each host binds its own.
        var listener: ListeningSocket?
        var policies: [TestPlugin]
        /// Log lines of earlier hosts in this directory.
        var log: [String] = []
        var hostIDs: Set<Int32> = []
    }

    /// Starts a host, runs `body`, stops the host in order, and checks that it has left no traces.
    package static func with(
        _ setup: HostSetup = HostSetup(),
        plugins: [TestPlugin] = [.neighbour],
        _ body: (HostFixture) async throws -> Void
    ) async throws {
        try await HostSlots.withSlot {
            try await ScratchDirectory.with { directory in
                for name in ["manifests", "packages", "plugins", "tmp"] { try directory.makeDirectory(name) }
                try await ControlClient.withConnection(to: directory.file("control.sock")) { client in
                    let host = HostFixture(directory, client, setup, plugins)
                    for plugin in plugins { try await host.install(plugin) }
                    try await host.run(body)
                }
            }
        }
    }

    private init(_ directory: ScratchDirectory, _ client: ControlClient, _ setup: HostSetup, _ plugins: [TestPlugin]) {
        self.directory = directory
        self.client = client
        state = Mutex(State(setup: setup, policies: plugins))
    }

    private func run(_ body: (HostFixture) async throws -> Void) async throws {
        do {
            try await start()
            try await body(self)
            try await checkAtRest()
            if case .signaled(SIGKILL) = process?.endingSoFar {
                throw HostFailure("the last host was killed; start another one, which ends what that one left behind")
            }
            try await stop()
            try checkProcesses()
            try await checkTraces()
        } catch {
            kill9()
            _ = try? await process?.ending()
            throw HostFailure("\(error)\n\(await story())")
        }
    }

    // MARK: Start and end of the host

    package var socket: String { directory.file("control.sock") }
    package var stateDirectory: String {
        state.withLock { $0.setup.flags["state-directory"] } ?? directory.file("state")
    }

    /// Starts another host after the previous one has ended, and waits until it serves calls and has loaded its
    /// catalogue.
    package func start() async throws {
        let notifications = try await launchProcess()
        let word = try await withDeadline(waitingFor: "the host to serve") {
            await notifications.notifications.first { $0 == "READY=1" }
        }
        if word == nil { throw HostFailure("the host ended before it served") }
        // A host may serve before its catalogue is complete, for example on a machine that is busy with tests.
        try await withDeadline(waitingFor: "the host to have loaded its catalogue") { [client] in
            while try await client.pluginPage(PluginQuery(limit: 1)).isPartial { try Task.checkCancellation() }
        }
    }

    /// Waits for the previous host's end and starts another one, without waiting until it serves calls.
    package func begin() async throws {
        _ = try await launchProcess()
    }

    private func launchProcess() async throws -> NotificationSocket {
        _ = try await process?.ending()
        let (setup, policies) = state.withLock { ($0.setup, $0.policies) }
        try directory.write(setup.configurationFile(for: policies).utf8, to: "bgtaskd.yaml")
        let notifications = try NotificationSocket(at: directory.file("notify.sock"))
        var environment = ProcessInfo.processInfo.environment
        environment["NOTIFY_SOCKET"] = notifications.path
        environment["TMPDIR"] = directory.file("tmp")
        environment.merge(setup.environment) { _, own in own }
        let listener = try activatedListener()
        // The variable has the number of the process that receives the descriptors, which the shell becomes.
        let program = try setup.program ?? BuiltProgram.host.path()
        let activation = ["-c", "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\"", program]
        var command = listener == nil ? [program] : ["/bin/sh"] + activation
        if let user = setup.user {
            // The containers that a host with capabilities has given to its plugins keep their owners.
            if !setup.hasCapabilities || self.process == nil { try directory.give(to: user) }
            command = setup.userChange + command
        }
        let process = try await ChildProcess.start(
            command[0],
            Array(command.dropFirst()) + arguments,
            environment: environment,
            passing: listener.map { [$0.descriptor] } ?? []
        ) { notifications.close() }
        state.withLock { state in
            state.log += state.process?.standardError.elements ?? []
            state.process = process
            state.notifications = notifications
            state.hostIDs.insert(process.pid)
        }
        return notifications
    }

    /// Whether the test keeps the control socket open and passes it to each of its hosts, as a service manager does.
    var isActivated: Bool { state.withLock { $0.setup.isActivated } }

    /// The socket that the test passes to its hosts, bound for the first of them; nil without activation.
    private func activatedListener() throws -> ListeningSocket? {
        let (setup, present) = state.withLock { ($0.setup, $0.listener) }
        guard setup.isActivated, present == nil else { return present }
        let listener = try ListeningSocket(at: socket, queue: 64)
        state.withLock { $0.listener = listener }
        return listener
    }

    /// The command-line arguments of the next host.
    var arguments: [String] {
        let setup = state.withLock { $0.setup }
        let places = [
            "config": directory.file("bgtaskd.yaml"), "manifests": directory.file("manifests"),
            "package-manifests": directory.file("packages"), "plugin-directory": directory.file("plugins"),
            "state-directory": directory.file("state"), "socket": socket,
        ]
        return places.merging(setup.flags) { _, own in own }.sorted { $0.key < $1.key }
            .flatMap { ["--\($0.key)", $0.value] }
    }

    /// Stops the host with SIGTERM, as a service manager would, and waits until it has ended.
    package func stop() async throws {
        guard let process, !process.hasEnded else { return }
        process.signal(SIGTERM)
        let ending = try await process.ending()
        if ending != .exited(0) { throw HostFailure("the host was stopped and ended as \(ending)") }
    }

    /// Sends SIGKILL to the host. Does not wait for its end.
    package func kill9() { process?.signal(SIGKILL) }

    /// Waits for the end that `kill9` or `stop` began, and starts another host in its place.
    ///
    /// - Parameter flags: flags that override those of the previous host.
    package func restart(with flags: [String: String] = [:]) async throws {
        state.withLock { $0.setup.flags.merge(flags) { _, new in new } }
        try await start()
    }

    /// The user as which the hosts run.
    var user: UInt32 { state.withLock { $0.setup.user } ?? geteuid() }

    package var pid: Int32 { process?.pid ?? 0 }
    package var processIDs: Set<Int32> { state.withLock { $0.hostIDs } }
    package var process: ChildProcess? { state.withLock { $0.process } }

    /// The notifications of the current host to its service manager, one line each.
    package var notifications: [String] { state.withLock { $0.notifications }?.notifications.elements ?? [] }

    // MARK: Plugins

    /// Writes the library and then the manifest of a plugin. Existing files are replaced.
    package func install(_ plugin: TestPlugin) async throws {
        try directory.write(try await plugin.libraryBytes(), to: plugin.libraryFile)
        try directory.write(plugin.manifest.utf8, to: plugin.manifestFile)
    }

    /// Sets the operator's configuration of a plugin. It takes effect at the next start of the host.
    package func setPolicy(_ policy: [String], of plugin: TestPlugin) {
        state.withLock { state in
            var changed = plugin
            changed.policy = policy
            state.policies.removeAll { $0.identifier == plugin.identifier }
            state.policies.append(changed)
        }
    }

    /// The text of a file in a plugin's container; empty if the file is missing.
    package func containerText(_ plugin: TestPlugin, _ file: String) -> String {
        (try? String(contentsOfFile: "\(stateDirectory)/containers/\(plugin.identifier)/\(file)", encoding: .utf8))
            ?? ""
    }

    // MARK: Log

    /// All log lines of this and earlier hosts in this directory.
    package var log: [String] {
        state.withLock { $0.log + ($0.process?.standardError.elements ?? []) }
    }

    /// Waits for the first matching line in the log of the running host, past or future.
    @discardableResult
    package func waitForLog(_ purpose: String, where fits: @escaping @Sendable (String) -> Bool) async throws -> String
    {
        guard let process else { throw HostFailure("there is no host") }
        return try await process.errorLine(purpose, where: fits)
    }
}
