// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetDatabase
import Testing

@Suite("A client of a fleet's database survives the server's restarts and ends slow calls")
struct ConnectionTests {
    @Test func `a call after a crash of the server fails, and the next one after its start succeeds`() async throws {
        try await PostgreSQLServer.with { server in
            let viewer = server.database(as: "view")
            _ = try await viewer.status()
            try await server.kill()
            for _ in 1...2 {
                do throws(DatabaseFailure) {
                    _ = try await viewer.status()
                    Issue.record("the call was answered without a server")
                } catch {
                    #expect(error.cause == .unreachable)
                }
            }
            try await server.start()
            #expect(try await viewer.status().hosts == 2)
        }
    }

    @Test func `a call that waits for a lock ends at its timeout`() async throws {
        try await PostgreSQLServer.with { server in
            // A prepared transaction holds its locks without a client.
            try await server.sql("alter system set max_prepared_transactions = 2")
            try await server.kill()
            try await server.start()
            try await server.sql(
                "begin; update bgtask_fleet.host set groups = '{}'; prepare transaction 'held'"
            )
            let database = server.database(as: "host_a", timeout: .milliseconds(200))
            do throws(DatabaseFailure) {
                _ = try await HostCalls.begin("a", in: database)
                Issue.record("the call did not wait")
            } catch {
                #expect(error.cause == .timeout)
            }
            try await server.sql("rollback prepared 'held'")
            _ = try await HostCalls.begin("a", in: database)
        }
    }

    @Test func `a second init changes nothing and keeps the items`() async throws {
        try await PostgreSQLServer.with { server in
            _ = try await server.database(as: "sub").submit(.example("host:a"))
            let versions = try await server.database(as: "admin").initialize()
            #expect(versions == (2, 2))
            #expect(try await server.database(as: "view").status().pending == 1)
        }
    }
}
