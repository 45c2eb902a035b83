// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import Testing

@Suite("The control socket admits its own user, root and the members of its groups", .enabled(if: getuid() == 0))
struct AdmissionTests {
    /// IDs of the user `nobody` and the group `nogroup`, which exist on every Debian installation.
    private static let (nobody, nogroup): (UInt32, UInt32) = (65_534, 65_534)
    private static let (daemon, daemonGroup): (UInt32, UInt32) = (1, 1)

    @Test func `another user's connection to the control socket fails with permission denied`() async throws {
        try await HostFixture.with { host in
            let answer = try await host.ask(asUser: Self.nobody, group: Self.nogroup)
            #expect(answer == "connect: Permission denied\n")
            #expect(try await host.ask(asUser: 0, group: 0).hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test
    func `a process with the socket group as a supplementary group is admitted, even if its user has no account`()
        async throws
    {
        try await HostFixture.with(HostSetup(["operate-group": "nogroup"])) { host in
            // The user database has no account with this number.
            let member = try await host.ask(asUser: 54_321, group: 54_321, others: [Self.daemonGroup, Self.nogroup])
            #expect(member.hasPrefix("HTTP/1.1 200"))
            let other = try await host.ask(asUser: 54_321, group: 54_321, others: [Self.daemonGroup])
            #expect(other == "connect: Permission denied\n")
            chmod(host.socket, 0o666)
            let past = try await host.ask(asUser: 54_321, group: 54_321, others: [Self.daemonGroup])
            #expect(past.hasPrefix("HTTP/1.1 403") && past.contains("socket group"))
        }
    }

    @Test func `the socket group is admitted, and an account outside it gets permission denied`() async throws {
        try await HostFixture.with(HostSetup(["operate-group": "nogroup"])) { host in
            #expect(try await host.ask(asUser: Self.nobody, group: Self.nogroup).hasPrefix("HTTP/1.1 200"))
            let other = try await host.ask(asUser: Self.daemon, group: Self.daemonGroup)
            #expect(other == "connect: Permission denied\n")
        }
    }

    @Test
    func `a user who gets past the socket's permissions, but is not admitted, gets a 403 with the user id`()
        async throws
    {
        try await HostFixture.with { host in
            chmod(host.socket, 0o666)
            let answer = try await host.ask(asUser: Self.nobody, group: Self.nogroup)
            #expect(answer.hasPrefix("HTTP/1.1 403"))
            #expect(answer.contains("not-admitted") && answer.contains("\(Self.nobody)"))
            #expect(try await host.ask(asUser: 0, group: 0).hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func `the ledger and the containers are accessible to their owners only`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.runNeighbour()
            let container = "state/containers/\(TestPlugin.neighbour.identifier)"
            // Users of plugins pass through two of the directories to their containers.
            for (path, others) in [
                ("state", 0o011), ("state/containers", 0o011), ("state/ledger", 0), ("state/ledger/ledger.sqlite", 0),
                ("state/host.lock", 0), (container, 0),
            ] {
                let attributes = try FileManager.default.attributesOfItem(atPath: host.directory.file(path))
                let permissions = try #require(attributes[.posixPermissions] as? Int)
                #expect(permissions & 0o077 == others, "\(path)")
            }
        }
    }

    @Test func `each route is refused with 403 exactly to the roles below its own`() async throws {
        let groups: [ControlRole: UInt32] = [.read: 65_534, .submit: 1, .operate: 2]
        let setup = HostSetup(["read-group": "nogroup", "submit-group": "daemon", "operate-group": "bin"])
        try await HostFixture.with(setup) { host in
            let calls = Route.allCases.flatMap { [$0.method.rawValue, $0.path($0.parameter.map { _ in "a.none" })] }
            for role in ControlRole.allCases {
                let statuses = try await host.call(asUser: 54_321, group: try #require(groups[role]), calls)
                #expect(statuses.count == Route.allCases.count)
                for (route, status) in zip(Route.allCases, statuses) {
                    #expect((status == 403) == (role < route.role), "\(role) \(route): \(status)")
                }
            }
            let foreign = try await host.call(asUser: 54_321, group: 3, calls)
            #expect(foreign == Route.allCases.map { _ in 403 })
            let status = try await host.client.host()
            #expect(status.socketGroups == ["read": "nogroup", "submit": "daemon", "operate": "bin"])
            let text = try await host.bgtask("host", "status").output
            #expect(text.contains("socket groups   read nogroup, submit daemon, operate bin"))
        }
    }

    @Test(.proves("C19")) func `the contents of a cursor are shown to the role operate only`() async throws {
        let plugin = TestPlugin("MovesCursors")
        let setup = HostSetup(["read-group": "nogroup", "operate-group": "bin"])
        try await HostFixture.with(setup, plugins: [plugin]) { host in
            _ = try await host.outcome(of: try await host.submit(plugin.task()))
            let path = "/v1/tasks/\(plugin.task())/cursor"
            let reader = try await host.ask(asUser: 54_321, group: Self.nogroup, for: path)
            #expect(reader.hasPrefix("HTTP/1.1 200") && reader.contains("moved_at"))
            #expect(!reader.contains("row 7") && !reader.contains("726f77"))
            let operating = try await host.ask(asUser: 54_321, group: 2, for: path)
            #expect(operating.contains("row 7") && operating.contains("726f772037"))
        }
    }
}

extension HostFixture {
    /// The host's response to a call by a program that runs as another user; the error of `connect` if the call failed.
    fileprivate func ask(
        asUser user: UInt32,
        group: UInt32,
        others: [UInt32] = [],
        for path: String = "/v1/host"
    ) async throws -> String {
        let run = try await foreignCaller(user, [group] + others, ["print", "GET", path])
        return run.output + run.error
    }

    /// The statuses of calls by another user, each given as a method and a path.
    fileprivate func call(asUser user: UInt32, group: UInt32, _ calls: [String]) async throws -> [Int] {
        try await foreignCaller(user, [group], ["status"] + calls).output.split(separator: "\n").compactMap { Int($0) }
    }

    private func foreignCaller(_ user: UInt32, _ groups: [UInt32], _ calls: [String]) async throws -> ProgramRun {
        let program = try await ForeignCaller.program(in: self)
        return try await ProgramRun.of(program, ForeignCaller.arguments(of: self, user, groups) + calls)
    }
}
