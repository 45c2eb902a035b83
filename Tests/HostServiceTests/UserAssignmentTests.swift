// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostConfiguration
import HostTestKit
import TaskLedger
import TaskModel
import Testing

@testable import HostService

@Suite("A plugin keeps its user, and no user belongs to two containers")
struct UserAssignmentTests {
    private func plugin(_ name: String) throws -> PluginIdentifier {
        try #require(PluginIdentifier("com.example.\(name)"))
    }

    private func assignments(_ range: String, _ recorded: [PluginIdentifier: Int] = [:]) throws -> UserAssignments {
        UserAssignments(range: try #require(UserRange(range)), recorded: recorded)
    }

    @Test func `a plugin without a user gets the next user that was never assigned`() throws {
        let (a, b) = (try plugin("a"), try plugin("b"))
        var users = try assignments("2000-2002", [a: 1])
        #expect(users.user(of: a) == 2_001 && users.user(of: b) == nil)
        let next = try #require(users.assignment { _, _ in true })
        #expect(next == UserAssignments.Assignment(index: 2, user: 2_002, previous: nil))
        users.record(next, for: b)
        #expect(users.user(of: b) == 2_002)
    }

    @Test func `an exhausted range gives the user of a plugin without a container to another plugin`() throws {
        let (a, b, c) = (try plugin("a"), try plugin("b"), try plugin("c"))
        var users = try assignments("2000-2001", [a: 0, b: 1])
        #expect(users.assignment { _, _ in true } == nil)
        let freed = try #require(users.assignment { plugin, _ in plugin == a })
        #expect(freed == UserAssignments.Assignment(index: 1, user: 2_001, previous: b))
        users.record(freed, for: c)
        #expect(users.user(of: b) == nil && users.user(of: c) == 2_001 && users.user(of: a) == 2_000)
    }

    @Test func `of several free users the one whose plugin was launched the longest ago is given away`() throws {
        let (a, b, c, d) = (try plugin("a"), try plugin("b"), try plugin("c"), try plugin("d"))
        let users = try assignments("2000-2003", [a: 0, b: 1, c: 2, d: 3])
        let launches: [PluginIdentifier: Int64] = [a: 9, b: 5, c: 7, d: 2]
        let given = users.assignment {
            plugin,
            _ in
            plugin == d
        } lastLaunch: {
            launches[$0].map(LaunchNumber.init)
        }
        #expect(given == UserAssignments.Assignment(index: 1, user: 2_001, previous: b))
        // A plugin whose launches are no longer recorded was launched before all others.
        let earlier = users.assignment {
            _,
            _ in
            false
        } lastLaunch: {
            $0 == c ? nil : launches[$0].map(LaunchNumber.init)
        }
        #expect(earlier?.previous == c)
    }

    @Test func `the user of a container that is purged and not deleted yet is not given away`() async throws {
        let (a, b) = (try plugin("a"), try plugin("b"))
        let users = try assignments("2000-2001", [a: 0, b: 1])
        #expect(users.assignment { plugin, user in plugin == a || user == 2_001 } == nil)
        try await ScratchDirectory.with { directory in
            let state = try StateDirectory(path: directory.file("state"))
            for name in [".purged-com.example.b", "com.example.a"] {
                try directory.makeDirectory("state/containers/\(name)")
            }
            #expect(state.ownersOfDiscarded() == [geteuid()])
            #expect(state.containers() == ["com.example.a"])
        }
    }

    @Test func `a plugin whose recorded index lies beyond a smaller range of users gets another user`() throws {
        let (a, b) = (try plugin("a"), try plugin("b"))
        let users = try assignments("2000-2001", [a: 0, b: 7])
        #expect(users.user(of: a) == 2_000 && users.user(of: b) == nil)
        #expect(users.assignment { _, _ in true }?.user == 2_001)
    }

    @Test func `a recorded user survives a restart, and a moved range moves the users`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "users-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (a, b) = (try plugin("a"), try plugin("b"))
        var ledger = try Ledger.open(path: directory + "/ledger.sqlite")
        var keeper = try UserKeeper(.own(try #require(UserRange("2000-2009"))), ledger: ledger)
        #expect(keeper.user(of: a) == nil)
        #expect(try keeper.assign(a) { _, _ in false } == 2_000)
        #expect(try keeper.assign(b) { _, _ in false } == 2_001)
        #expect(try keeper.assign(a) { _, _ in false } == 2_000)
        try ledger.close()
        ledger = try Ledger.open(path: directory + "/ledger.sqlite")
        keeper = try UserKeeper(.own(try #require(UserRange("3000-3009"))), ledger: ledger)
        #expect(keeper.user(of: b) == 3_001)
        let none = try UserKeeper(.hostUser("a test"), ledger: ledger)
        #expect(try none.assign(a) { _, _ in false } == nil)
        try ledger.close()
    }

    @Test func `a plugin without a free user is refused with the remedy`() throws {
        let ledger = try Ledger.inMemory()
        let keeper = try UserKeeper(.own(try #require(UserRange("2000-2000"))), ledger: ledger)
        let (a, b) = (try plugin("a"), try plugin("b"))
        #expect(try keeper.assign(a) { _, _ in true } == 2_000)
        let error = #expect(throws: HostError.self) { try keeper.assign(b) { _, _ in true } }
        #expect(error?.message.contains("write a larger range as plugin-users, and restart") == true)
    }
}
