// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetDatabase
import Foundation
import HostTestKit
import Synchronization

/// A PostgreSQL server in a directory of its own, with a fleet: the hosts `a` and `b` of the group `web` with a role
/// each, the submitter `sub`, the viewer `view`, and the login role `stranger` without rights.
final class PostgreSQLServer: Sendable {
    private let directory: ScratchDirectory
    private let process = Mutex<ChildProcess?>(nil)
    /// The user `nobody`: PostgreSQL refuses root.
    private static let user: UInt32 = 65534

    private init(_ directory: ScratchDirectory) { self.directory = directory }

    static func with(_ body: (PostgreSQLServer) async throws -> Void) async throws {
        try await ScratchDirectory.with { directory in
            let server = PostgreSQLServer(directory)
            if geteuid() == 0 { try directory.give(to: user) }
            try await server.run("initdb", ["-D", server.data, "-U", "admin", "--auth=trust", "-N"])
            try await server.start()
            do {
                try await server.prepareFleet()
                try await body(server)
            } catch {
                try await server.kill()
                throw error
            }
            try await server.kill()
        }
    }

    private var data: String { directory.file("data") }

    func start() async throws {
        // The data of a test does not outlive it: the server need not wait for the disk.
        let settings = ["listen_addresses=", "unix_socket_directories=\(directory.path)", "fsync=off"]
        let command = try Self.command("postgres", ["-D", data] + settings.flatMap { ["-c", $0] })
        let child = try await ChildProcess.start(command[0], Array(command.dropFirst()))
        process.withLock { $0 = child }
        try await child.errorLine("the server accepts connections") { $0.contains("ready to accept connections") }
    }

    /// Kills the server's first process, as a crash does; its other processes end themselves.
    func kill() async throws {
        guard let child = process.withLock({ $0.take() }) else { return }
        child.signal(SIGKILL)
        _ = try await child.ending()
    }

    /// The connection string of a role.
    func address(as role: String) -> String { "host=\(directory.path) user=\(role) dbname=postgres" }

    func database(as role: String, timeout: Duration = .seconds(10)) -> FleetDatabase {
        FleetDatabase(address(as: role), timeout: timeout)
    }

    /// Executes statements as the administrator, and returns their output without headings.
    @discardableResult
    func sql(_ statements: String) async throws -> String {
        let arguments = ["-h", directory.path, "-U", "admin", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-At"]
        return try await run("psql", arguments + ["-c", statements])
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Waits until a query of the administrator has the result.
    func wait(for result: String, of query: String) async throws {
        try await withDeadline(.seconds(120), waitingFor: "\"\(result)\" of: \(query)") { [self] in
            // The server pauses between two looks, so that the loop leaves the processor to hosts and feeders.
            while try await sql("select pg_sleep(0.1); \(query)") != result { try Task.checkCancellation() }
        }
    }

    /// Ends the lease of a host, as if it had not renewed for an hour.
    func endLease(of host: String) async throws {
        try await sql("update bgtask_fleet.host set lease_until = now() - interval '1 hour' where name = '\(host)'")
    }

    private func prepareFleet() async throws {
        let admin = database(as: "admin")
        _ = try await admin.initialize()
        try await sql(
            """
            create role host_a login; create role host_b login; create role sub login; create role view login;
            create role stranger login;
            grant bgtask_fleet_host to host_a, host_b; grant bgtask_fleet_submitter to sub;
            grant bgtask_fleet_viewer to view
            """
        )
        try await admin.enroll("a", role: "host_a", groups: ["web"])
        try await admin.enroll("b", role: "host_b", groups: ["web"])
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        let command = try Self.command(program, arguments)
        let run = try await ProgramRun.of(command[0], Array(command.dropFirst()))
        guard run.status == 0 else { throw HostFailure("\(program): \(run.output)\(run.error)") }
        return run.output
    }

    /// The newest installed version of a program of PostgreSQL, as an unprivileged user.
    private static func command(_ program: String, _ arguments: [String]) throws -> [String] {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        guard let version = versions.max(by: { (Int($0) ?? 0) < (Int($1) ?? 0) }) else {
            throw HostFailure("\(root) is missing; install PostgreSQL with: make packages")
        }
        let changed = ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--pdeathsig=KILL"]
        return (geteuid() == 0 ? changed : []) + ["\(root)/\(version)/bin/\(program)"] + arguments
    }
}
