// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import FleetDatabase
import Foundation
import HostTestKit
import Synchronization

/// A real host of a fleet, and its feeder, which the test starts and kills.
final class FleetMember: Sendable {
    let name: String
    let host: HostFixture
    private let server: PostgreSQLServer
    private let feeder = Mutex<ChildProcess?>(nil)

    init(_ name: String, _ host: HostFixture, _ server: PostgreSQLServer) {
        (self.name, self.host, self.server) = (name, host, server)
    }

    func startFeeder() async throws {
        let child = try await ChildProcess.start(
            BuiltProgram.feeder.path(),
            ["run", "--host", name, "--socket", host.socket, "--database", server.address(as: "host_\(name)")]
        )
        feeder.withLock { $0 = child }
    }

    /// Ends the feeder and waits for its end. With SIGKILL it reports nothing any more.
    func endFeeder(with signal: Int32 = SIGKILL) async throws {
        guard let child = feeder.withLock({ $0.take() }) else { return }
        child.signal(signal)
        _ = try await child.ending()
    }

    /// The messages of the present feeder.
    var feederLog: [String] { feeder.withLock { $0 }?.standardError.elements ?? [] }

    /// The number of runs that the plugin has recorded on this host.
    func runs(of plugin: TestPlugin) -> Int {
        host.containerText(plugin, "ran.txt").split(separator: "\n").count
    }

    /// Waits until the plugin has recorded a run on this host. The host lists the running task earlier.
    func hasBegun(_ plugin: TestPlugin) async throws {
        try await withDeadline(waitingFor: "a run of \(plugin.identifier) on \(name)") { [self] in
            while runs(of: plugin) == 0 {
                // Slows the loop down, and fails after the host has ended.
                _ = try await host.client.journal(limit: 1)
                try Task.checkCancellation()
            }
        }
    }

    /// Waits until the host has the pending request of a task.
    func waits(for task: String) async throws {
        try await withDeadline(waitingFor: "\(task) to wait on \(name)") { [host] in
            while try await !host.client.tasks().pending.contains(where: { $0.identifier == task }) {
                try Task.checkCancellation()
            }
        }
    }

    /// Waits until the journal of the host has the success of a task.
    func hasSucceeded(_ task: String) async throws {
        try await host.waitForJournal("the end of \(task)") { $0.event == "succeeded" && $0.task == task }
    }

    /// Waits until the host has neither pending nor running tasks.
    func isAtRest() async throws {
        try await withDeadline(waitingFor: "\(name) to have no task") { [host] in
            while true {
                let tasks = try await host.client.tasks()
                if tasks.pending.isEmpty && tasks.running.isEmpty { return }
                try Task.checkCancellation()
            }
        }
    }

    /// Lets the tasks of a lingering plugin complete.
    func letGo(_ plugin: TestPlugin) throws {
        try host.directory.write([], to: "state/containers/\(plugin.identifier)/let-go")
    }
}

/// Two real hosts with their feeders around a PostgreSQL server, for one test: `a` and `b` of the group `web`.
struct TwoHosts {
    let server: PostgreSQLServer
    let a: FleetMember
    let b: FleetMember

    /// Starts the fleet, runs `body`, and ends the feeders in order.
    ///
    /// - Parameter flags: flags of both hosts.
    static func with(
        _ plugin: TestPlugin,
        flags: [String: String] = [:],
        _ body: (TwoHosts) async throws -> Void
    ) async throws {
        let setup = { HostSetup(flags, configuration: ["fleet: { plugins: [com.example.*] }"]) }
        try await PostgreSQLServer.with { server in
            // A lease of 9 s and a rescue 2 s later: a busy machine delays a renewal, and a test need not wait long.
            try await server.sql("update bgtask_fleet.setting set minimum_interval = '3 s', grace = '2 s'")
            try await HostFixture.with(setup(), plugins: [plugin]) { first in
                try await HostFixture.with(setup(), plugins: [plugin]) { second in
                    let fleet = TwoHosts(
                        server: server,
                        a: FleetMember("a", first, server),
                        b: FleetMember("b", second, server)
                    )
                    try await fleet.run(body)
                }
            }
        }
    }

    private func run(_ body: (TwoHosts) async throws -> Void) async throws {
        let members = [a, b]
        do {
            for member in members { try await member.startFeeder() }
            try await body(self)
            for member in members { try await member.endFeeder(with: SIGTERM) }
        } catch {
            let logs = members.map { "--- feeder of \($0.name) ---\n\($0.feederLog.joined(separator: "\n"))" }
            for member in members { try? await member.endFeeder() }
            throw HostFailure("\(error)\n\(logs.joined(separator: "\n"))")
        }
    }

    /// Submits work of the plugin, and returns the item; nil for `each:GROUP`.
    @discardableResult
    func submit(
        _ target: String,
        _ plugin: TestPlugin,
        task: String? = nil,
        needsPower: Bool = false
    ) async throws -> Int64? {
        var work = FleetSubmission(
            target: target,
            plugin: plugin.identifier,
            identifier: plugin.task(task),
            kind: "processing"
        )
        if needsPower { work.request["requires_external_power"] = .bool(true) }
        return try await server.database(as: "sub").submit(work).item
    }

    /// Waits for the only outcomes, each as `host|fence|outcome`, in the order of their hosts.
    func outcomes(are wanted: String...) async throws {
        let row = "concat_ws('|', host, fence, outcome)"
        let rows = "select string_agg(\(row), ' ' order by host) from bgtask_fleet.outcome"
        try await server.wait(for: wanted.joined(separator: " "), of: rows)
    }
}
