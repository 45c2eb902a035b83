// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetDatabase
import Foundation
import HostTestKit
import Testing

@Suite("The commands for a fleet need the role of the database that their work needs")
struct FleetCommandTests {
    private static let work = ["com.example.p.clean", "--plugin", "com.example.p"]

    private func fleet(_ server: PostgreSQLServer, as role: String, _ words: [String]) async throws -> ProgramRun {
        try await ProgramRun.of(
            BuiltProgram.command.path(),
            ["fleet"] + words + ["--database", server.address(as: role)]
        )
    }

    @Test func `an operator submits, examines, cancels and drains with bgtask fleet`() async throws {
        try await PostgreSQLServer.with { server in
            let submitted = try await fleet(server, as: "sub", ["submit"] + Self.work + ["--target", "any:web"])
            #expect(submitted.status == 0 && submitted.output.hasPrefix("submitted item "), "\(submitted)")
            let why = try await fleet(server, as: "view", ["why"] + Self.work)
            #expect(why.output.contains("no host of the target has the plugin"), "\(why)")
            let status = try await fleet(server, as: "view", ["status", "--json"])
            let reply = try JSONDecoder().decode(FleetStatus.self, from: Data(status.output.utf8))
            #expect(reply.pending == 1 && reply.hosts == 2)
            let cancelled = try await fleet(server, as: "sub", ["cancel"] + Self.work + ["--target", "any:web"])
            #expect(cancelled.output.hasPrefix("1 pending items cancelled"), "\(cancelled)")
            #expect(try await fleet(server, as: "sub", ["drain", "a"]).status == 0)
            let hosts = try await fleet(server, as: "view", ["hosts"])
            #expect(hosts.output.contains("a (web): drained") && hosts.output.contains("b (web):"), "\(hosts)")
        }
    }

    @Test func `a host's role cannot submit, and a viewer's role cannot drain`() async throws {
        try await PostgreSQLServer.with { server in
            let words = ["submit"] + Self.work + ["--target", "host:b"]
            let submitted = try await fleet(server, as: "host_a", words)
            #expect(submitted.status == 1 && submitted.error.contains("permission denied"), "\(submitted)")
            let drained = try await fleet(server, as: "view", ["drain", "a"])
            #expect(drained.status == 1 && drained.error.contains("permission denied"), "\(drained)")
            #expect(try await server.sql("select count(*) from bgtask_fleet.item") == "0")
        }
    }

    @Test(arguments: [
        ("any:Web", "contains a character other than a-z, digits, hyphens and dots; remove it"),
        ("web", "has no colon; write host:NAME, any:GROUP or each:GROUP"),
    ])
    func `an invalid target is refused with the rule and the remedy`(target: String, rule: String) async throws {
        let run = try await ProgramRun.of(
            BuiltProgram.command.path(),
            ["fleet", "submit"] + Self.work + ["--target", target]
        )
        #expect(run.status == 2 && run.error.contains(rule), "\(run)")
    }

    @Test func `the exit status of bgtask fleet differs for refusal, misuse and a lost database`() async throws {
        try await PostgreSQLServer.with { server in
            let refused = try await fleet(server, as: "sub", ["drain", "c"])
            #expect(refused.status == 1 && refused.error.contains("\"c\" is not enrolled"), "\(refused)")
            let misused = try await fleet(server, as: "sub", ["submit"] + Self.work)
            #expect(misused.status == 2 && misused.error.contains("--target"), "\(misused)")
            try await server.kill()
            #expect(try await fleet(server, as: "view", ["status"]).status == 3)
        }
    }

    @Test func `a feeder whose role is that of another host ends with the remedy`() async throws {
        try await PostgreSQLServer.with { server in
            try await HostFixture.with(HostSetup(configuration: ["fleet: { plugins: [com.example.*] }"])) { host in
                let run = try await ProgramRun.of(
                    BuiltProgram.feeder.path(),
                    ["run", "--host", "a", "--socket", host.socket, "--database", server.address(as: "host_b")]
                )
                #expect(run.status == 1, "\(run)")
                #expect(run.error.contains("host \"a\" does not belong to the role \"host_b\""), "\(run)")
                #expect(run.error.contains("bgtask-feeder enroll"), "\(run)")
            }
        }
    }
}
