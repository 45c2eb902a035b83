// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostTestKit
import Testing

@Suite("bgtask-feeder schedule adds and removes periodic work")
struct ScheduleCommandTests {
    private static let work = ["com.example.p.clean", "--plugin", "com.example.p", "--target", "any:web"]

    private func schedule(_ server: PostgreSQLServer, _ words: [String]) async throws -> ProgramRun {
        let arguments = ["schedule", "nightly"] + words + ["--database", server.address(as: "sub")]
        return try await ProgramRun.of(BuiltProgram.feeder.path(), arguments)
    }

    @Test func `a schedule is removed by its name alone`() async throws {
        try await PostgreSQLServer.with { server in
            let added = try await schedule(server, Self.work + ["--every", "1d"])
            #expect(added.status == 0 && added.output == "schedule nightly runs every 1d\n", "\(added)")
            #expect(try await server.sql("select count(*) from bgtask_fleet.schedule") == "1")
            let removed = try await schedule(server, ["--remove"])
            #expect(removed.status == 0 && removed.output == "schedule nightly removed\n", "\(removed)")
            #expect(try await server.sql("select count(*) from bgtask_fleet.schedule") == "0")
            let again = try await schedule(server, ["--remove"])
            #expect(again.status == 0 && again.output == "there is no schedule nightly\n", "\(again)")
        }
    }

    @Test func `a new schedule without period, target and plugin is refused, and a removal with them`() async throws {
        try await PostgreSQLServer.with { server in
            let bare = try await schedule(server, ["com.example.p.clean"])
            #expect(bare.status != 0 && bare.error.contains("lacks --every, --target, --plugin"), "\(bare)")
            let both = try await schedule(server, Self.work + ["--remove"])
            #expect(both.status != 0 && both.error.contains("IDENTIFIER has no effect with --remove"), "\(both)")
            #expect(try await server.sql("select count(*) from bgtask_fleet.schedule") == "0")
        }
    }
}
