// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetDatabase
import Testing

@Suite("Roles of a fleet's database have the rights of their functions and no more")
struct RoleTests {
    private func expectRefusal(
        _ state: String,
        _ body: () async throws(DatabaseFailure) -> Void
    ) async {
        do throws(DatabaseFailure) {
            try await body()
            Issue.record("the call was accepted")
        } catch {
            #expect(error.cause == .refused(state: state))
        }
    }

    @Test func `a host can neither submit nor act for another host`() async throws {
        try await PostgreSQLServer.with { server in
            let database = server.database(as: "host_a")
            await expectRefusal("42501") { () throws(DatabaseFailure) in
                _ = try await database.submit(.example("host:b"))
            }
            await expectRefusal("42501") { () throws(DatabaseFailure) in _ = try await database.status() }
            await expectRefusal("BG001") { () throws(DatabaseFailure) in
                _ = try await HostCalls.begin("b", in: database)
            }
        }
    }

    @Test func `a submitter can submit and read, and a viewer can only read`() async throws {
        try await PostgreSQLServer.with { server in
            let (submitter, viewer) = (server.database(as: "sub"), server.database(as: "view"))
            _ = try await submitter.submit(.example("host:a"))
            #expect(try await submitter.status().pending == 1)
            #expect(try await viewer.hosts().map(\.name) == ["a", "b"])
            await expectRefusal("42501") { () throws(DatabaseFailure) in
                _ = try await viewer.submit(.example("host:a"))
            }
            await expectRefusal("42501") { () throws(DatabaseFailure) in
                _ = try await HostCalls.begin("a", in: submitter)
            }
            await expectRefusal("42501") { () throws(DatabaseFailure) in
                try await submitter.enroll("c", role: "sub", groups: [])
            }
        }
    }

    @Test func `a role without a grant has no access`() async throws {
        try await PostgreSQLServer.with { server in
            let stranger = server.database(as: "stranger")
            await expectRefusal("42501") { () throws(DatabaseFailure) in _ = try await stranger.status() }
        }
    }

    @Test func `a newer feeder of a host ends the calls of the older one`() async throws {
        try await PostgreSQLServer.with { server in
            let old = try await HostCalls.begin("a", on: server)
            let new = try await HostCalls.begin("a", on: server)
            await expectRefusal("BG002") { () throws(DatabaseFailure) in _ = try await old.claim() }
            #expect(try await new.claim() == [])
        }
    }
}
