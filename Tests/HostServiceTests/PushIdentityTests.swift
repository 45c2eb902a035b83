// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import StatementTraits
import TaskModel
import Testing

@testable import HostService

@Suite("The identity of a push has its sender, its identifier and its content", .proves("C21"))
struct PushIdentityTests {
    private let id = UUID()

    private func identity(_ push: PluginPush, from user: UInt32? = 1_000) throws -> PushIdentity? {
        PushIdentity(of: try push.validated(), from: user)
    }

    @Test func `a push without an identifier has no identity`() throws {
        #expect(try identity(PluginPush(payload: [1]).sent(by: "key A")) == nil)
    }

    @Test func `user, sender, identifier, payload and priority each distinguish a push`() throws {
        let push = PluginPush(payload: [1], id: id)
        let others = [
            push.sent(by: "key A"), push.sent(by: "key B"), PluginPush(payload: [1], id: UUID()),
            PluginPush(payload: [2], id: id), PluginPush(payload: [1], priority: .low, id: id),
            PluginPush(payload: [1], onlyNow: true, id: id),
        ]
        let identities = try ([push] + others).map { try identity($0) } + [try identity(push, from: 2_000)]
        #expect(Set(identities).count == identities.count && !identities.contains(nil))
        let later = PluginPush(payload: [1], expiresAt: WallTime(nanoseconds: 2_085_357_600_000_000_000), id: id)
        #expect(try identity(later) == identities[0])
    }

    @Test func `the sender of an identity has the user, and equal pushes of two keys have different senders`() throws {
        let push = PluginPush(payload: [1], id: id)
        let senders = try ["key A", "key B"].map { try #require(try identity(push.sent(by: $0))).sender }
        #expect(senders.map(\.user) == [1_000, 1_000] && senders[0] != senders[1])
        #expect(try identity(push, from: nil)?.sender.user == .max)
    }
}
