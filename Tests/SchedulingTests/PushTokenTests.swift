// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("The scheduler decides each change of a device token, and a dropped plugin has none", .proves("C21"))
struct PushTokenTests {
    let host = SchedulerDriver(
        .app(modes: [.fetch, .processing, .remoteNotification], extensions: [.keyboard]),
        .mail(),
        .keyboard()
    )

    private func token(_ byte: UInt8) throws -> PushToken {
        try #require(PushToken(bytes: Array(repeating: byte, count: PushToken.size)))
    }

    @Test func `a plugin keeps its first token, also after a restart, and only the first issue is journaled`() throws {
        #expect(host.changePushToken(.issue(try token(1))) == .pushTokenChanged(true))
        #expect(host.changePushToken(.issue(try token(2))) == .pushTokenChanged(false))
        host.restart()
        #expect(host.changePushToken(.issue(try token(3))) == .pushTokenChanged(false))
        #expect(host.ledger.pushTokens == [.app: try token(1)])
        #expect(host.entries(.pushTokenChanged).count == 1)
    }

    @Test func `two calls that issue a token before its commit get the same token, both after the commit`() throws {
        host.commits = .held
        #expect(host.changePushToken(.issue(try token(1))) == nil)
        let first = host.lastReply
        #expect(host.changePushToken(.issue(try token(2))) == nil)
        host.writeHeldCommits()
        #expect(host.answers[ReplyToken(rawValue: first)] == .pushTokenChanged(true))
        #expect(host.lastAnswer == .pushTokenChanged(false))
        #expect(host.ledger.pushTokens == [.app: try token(1)])
    }

    @Test func `a rotation and a revocation wait for the token that is being issued`() throws {
        host.commits = .held
        host.changePushToken(.issue(try token(1)))
        host.changePushToken(.rotate(to: try token(2)))
        host.changePushToken(.revoke)
        host.writeNextCommit()
        #expect(host.ledger.pushTokens == [.app: try token(1)])
        host.writeNextCommit()
        #expect(host.ledger.pushTokens == [.app: try token(2)] && host.lastAnswer == nil)
        host.writeHeldCommits()
        #expect(host.lastAnswer == .pushTokenChanged(true) && host.ledger.pushTokens.isEmpty)
        host.commits = .written
        #expect(host.changePushToken(.revoke) == .pushTokenChanged(false))
    }

    @Test func `a call whose commit fails is refused, and the calls that wait behind it are decided anew`() throws {
        host.commits = .held
        host.changePushToken(.issue(try token(1)))
        let first = host.lastReply
        host.changePushToken(.issue(try token(2)))
        host.failNextCommit()
        #expect(host.answers[ReplyToken(rawValue: first)]?.isNotRecorded == true)
        host.writeHeldCommits()
        #expect(host.lastAnswer == .pushTokenChanged(true))
        #expect(host.ledger.pushTokens == [.app: try token(2)])
    }

    @Test func `a token needs an installed main plugin with the background mode`() throws {
        let missing = host.changePushToken(of: .mail, .issue(try token(1)))?.refusal
        #expect(missing?.subReason == .remoteNotificationModeMissing && missing?.code == .notPermitted)
        let ofExtension = host.changePushToken(of: .keyboard, .rotate(to: try token(1)))?.refusal
        #expect(ofExtension?.subReason == .remoteNotificationModeMissing)
        host.remove(.app)
        #expect(host.changePushToken(.issue(try token(1)))?.refusal?.subReason == .pluginMissing)
        #expect(host.ledger.pushTokens.isEmpty)
    }

    @Test func `a user revokes the token of a removed plugin`() throws {
        host.changePushToken(.issue(try token(1)))
        host.remove(.app)
        #expect(host.ledger.pushTokens == [.app: try token(1)])
        #expect(host.changePushToken(.revoke) == .pushTokenChanged(true))
        #expect(host.ledger.pushTokens.isEmpty)
    }

    @Test func `a purge ends the token of a removed plugin, and the reinstalled plugin gets another one`() throws {
        host.changePushToken(.issue(try token(1)))
        host.remove(.app)
        host.purge(.app)
        #expect(host.ledger.pushTokens.isEmpty)
        host.install(.app(modes: [.remoteNotification]))
        #expect(host.changePushToken(.issue(try token(3))) == .pushTokenChanged(true))
    }

    @Test func `a token is refused while its plugin is being dropped, so that the plugin has none afterwards`() throws {
        host.changePushToken(.issue(try token(1)))
        host.remove(.app)
        host.commits = .held
        host.purge(.app)
        host.install(.app(modes: [.remoteNotification]))
        let refusal = host.changePushToken(.rotate(to: try token(2)))?.refusal
        #expect(refusal?.subReason == .notRecorded)
        host.writeHeldCommits()
        #expect(host.ledger.pushTokens.isEmpty)
    }

    @Test func `a stopping host changes no token`() throws {
        host.stop()
        #expect(host.changePushToken(.issue(try token(1)))?.refusal?.subReason == .hostStopping)
    }

    @Test func `a launch that registers and unregisters again and again writes a bounded number of entries`() throws {
        host.push()
        host.enter(registering: [])
        let launch = try #require(host.lastPlan?.number)
        for byte in 1...20 as ClosedRange<UInt8> {
            host.changePushToken(.issue(try token(byte)), from: launch)
            host.changePushToken(.revoke, from: launch)
        }
        #expect(host.entries(.pushTokenChanged).count == 20)
        host.complete(.appPush)
        let last = try #require(host.entries(.pushTokenChanged).last)
        #expect(last.count == 20 && last.message.contains("changed the device token 20 more times"))
    }
}
