// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A push is durable before its answer, and reaches its plugin as an event", .proves(85, "C21"))
struct PushDeliveryTests {
    private static let plugin: TestPlugin = {
        var plugin = TestPlugin("ReceivesPushes", tasks: [])
        plugin.modes = ["remote-notification"]
        return plugin
    }()

    /// A host without the spacing of pushes.
    private static let unpaced = HostSetup(["push-spacing": "0s"])

    @Test func `a push is delivered as an event with its payload, and its results are recorded`() async throws {
        try await HostFixture.with(Self.unpaced, plugins: [Self.plugin]) { host in
            for (payload, outcome) in [("news", "succeeded"), ("", "no-data"), ("fail", "failed")] {
                let reply = try await host.push(to: Self.plugin, payload)
                #expect(reply.state == .stored)
                let end = try await host.outcome(of: reply.submission)
                #expect(end.event == outcome && end.task == "\(Self.plugin.identifier):push")
            }
            let identifier = Self.plugin.identifier
            #expect(
                host.containerText(Self.plugin, "pushes.txt") == """
                    5 4 \(identifier) 4 news
                    5 4 \(identifier) 0 \n5 4 \(identifier) 4 fail

                    """
            )
        }
    }

    @Test func `the waiting push survives the kill of its host with its payload and deadline`() async throws {
        try await HostFixture.with(plugins: [Self.plugin]) { host in
            let first = try await host.push(to: Self.plugin, "first")
            let end = try await host.outcome(of: first.submission)
            _ = try await host.end(ofLaunch: try #require(end.launch))
            // The spacing lets this one wait.
            let second = try await host.push(to: Self.plugin, "second", expiresAt: HostFixture.tomorrow)
            host.kill9()
            try await host.restart()
            let why = try await host.why("\(Self.plugin.identifier):push")
            #expect(why.kind == "push" && why.reasons.map(\.code).contains("kind-spacing"))
            _ = try await host.client.run([host.identifier("\(Self.plugin.identifier):push")])
            #expect(try await host.outcome(of: second.submission).event == "succeeded")
            #expect(host.containerText(Self.plugin, "pushes.txt").hasSuffix(" 6 second\n"))
        }
    }

    @Test func `a newer push replaces the waiting one, and a push that crashes its plugin is delivered again`()
        async throws
    {
        let setup = HostSetup(["push-spacing": "0s", "retry-delay": "100ms"])
        try await HostFixture.with(setup, plugins: [Self.plugin]) { host in
            let crashing = try await host.push(to: Self.plugin, "crash")
            let end = try await host.waitForJournal("the second attempt") { $0.event == "succeeded" }
            #expect(end.submission == crashing.submission)
        }
        try await HostFixture.with(plugins: [Self.plugin]) { host in
            let first = try await host.push(to: Self.plugin, "first")
            _ = try await host.outcome(of: first.submission)
            let second = try await host.push(to: Self.plugin, "second")
            let third = try await host.push(to: Self.plugin, "third")
            #expect(third.replaced == second.submission)
            let entry = try await host.waitForJournal("the replacement") { $0.event == "replaced" }
            #expect(entry.submission == second.submission && entry.count == 1)
        }
    }

    @Test func `a push is refused without the background mode, and with a payload above 4 KiB`() async throws {
        let other = TestPlugin("Recorder")
        try await HostFixture.with(plugins: [Self.plugin, other]) { host in
            let missing = await #expect(throws: ControlError.self) { try await host.push(to: other, "news") }
            #expect(missing?.description.contains("mode-remote-notification-missing") == true)
            let long = String(repeating: "a", count: TaskRequest.maximumPushPayload + 1)
            let large = await #expect(throws: ControlError.self) { try await host.push(to: Self.plugin, long) }
            #expect(large?.description.contains("4096") == true)
        }
    }

    @Test func `the device token stays until it is rotated, and the journal has none of its digits`() async throws {
        try await HostFixture.with(plugins: [Self.plugin]) { host in
            let plugin = try #require(PluginIdentifier(Self.plugin.identifier))
            let first = try await host.client.pushToken(of: plugin)
            #expect(PushToken(hexadecimal: first.token) != nil)
            host.kill9()
            try await host.restart()
            #expect(try await host.client.pushToken(of: plugin) == first)
            #expect(try await host.client.check(PushTokenCheck(token: first.token)).state == .valid)
            let second = try await host.client.pushToken(of: plugin, rotating: true)
            #expect(second.token != first.token)
            let ended = try await host.client.check(PushTokenCheck(token: first.token.uppercased()))
            #expect(ended.state == .ended && ended.plugin == plugin.text && ended.endedAt != nil)
            #expect(try await host.client.revokePushToken(of: plugin).isRevoked)
            #expect(try await !host.client.revokePushToken(of: plugin).isRevoked)
            let journal = try await host.journal()
            #expect(journal.count { $0.event == "push-token-changed" } == 3)
            let digits = [first, second].map { $0.token.prefix(8) }
            #expect(!journal.contains { line in digits.contains { line.message.contains($0) } })
            #expect(!host.log.contains { line in digits.contains { line.contains($0) } })
        }
    }

    @Test func `a push with a device token needs the valid token of its plugin, which ended ones and others are not`()
        async throws
    {
        var other = TestPlugin("Recorder", tasks: [])
        other.modes = ["remote-notification"]
        try await HostFixture.with(Self.unpaced, plugins: [Self.plugin, other]) { host in
            let plugins = try [Self.plugin, other].map { try #require(PluginIdentifier($0.identifier)) }
            let ended = try await host.client.pushToken(of: plugins[0])
            let valid = try await host.client.pushToken(of: plugins[0], rotating: true)
            let foreign = try await host.client.pushToken(of: plugins[1])
            let unknown = String(repeating: "a5", count: PushToken.size)
            for (text, reason) in [
                (ended.token, "push-token-ended"), (foreign.token, "push-token-of-another-plugin"),
                (unknown, "push-token-unknown"),
            ] {
                let token: PushToken = try #require(PushToken(hexadecimal: text))
                let push = PluginPush(token: token)
                let error = await #expect(throws: ControlError.self) {
                    try await host.client.push(to: plugins[0], push)
                }
                guard case .refused(_, let reply) = error else {
                    Issue.record("no refusal: \(String(describing: error))")
                    continue
                }
                #expect(reply.error.subReason == reason)
                #expect((reply.error.endedAt != nil) == (text == ended.token))
            }
            let token: PushToken = try #require(PushToken(hexadecimal: valid.token))
            let push = PluginPush(payload: Array("news".utf8), token: token)
            let reply = try await host.client.push(to: plugins[0], push)
            #expect(try await host.outcome(of: reply.submission).event == "succeeded")
        }
    }

    @Test(.proves("C20")) func `a submitted request with a deadline lapses, and its task never runs`() async throws {
        let plugin = TestPlugin("Recorder", tasks: ["processing1"])
        try await HostFixture.with(HostSetup(["external-power": "false"]), plugins: [plugin]) { host in
            let later = try request(plugin, host, expiresAt: HostFixture.tomorrow)
            #expect(try await host.client.submit(TaskSubmission(later)).expiresAt?.wall == later.expiresAt)
            #expect(try await host.client.tasks().pending.first?.expiresAt?.wall == later.expiresAt)
            let soon = try request(plugin, host, expiresAt: WallTime(nanoseconds: Self.seconds(2)))
            let submission = try await host.client.submit(TaskSubmission(soon)).submission
            let entry = try await host.waitForJournal("the deadline") { $0.event == "lapsed" }
            #expect(entry.submission == submission && entry.task == plugin.task() && entry.launch == nil)
            #expect(try await host.client.tasks().pending.isEmpty)
        }
    }

    private func request(_ plugin: TestPlugin, _ host: HostFixture, expiresAt: WallTime) throws -> TaskRequest {
        TaskRequest(
            identifier: try host.identifier(plugin.task()),
            kind: .processing,
            expiresAt: expiresAt,
            requiresExternalPower: true
        )
    }

    /// The whole second that lies this number of seconds in the future, in nanoseconds since 1970.
    private static func seconds(_ count: Int64) -> Int64 {
        (Int64(Date().timeIntervalSince1970) + count) * 1_000_000_000
    }

    @Test func `the example NoticeBoard keeps the payload of each push and its device token in its container`()
        async throws
    {
        let identifier = "com.example.noticeboard"
        try await HostFixture.with(Self.unpaced, plugins: []) { host in
            try host.directory.write(
                try await ExampleLibrary.bytes("NoticeBoard"),
                to: "plugins/libNoticeBoard.so"
            )
            let manifest = try ExampleLibrary.manifest(identifier)
            try host.directory.write(manifest.utf8, to: "manifests/\(identifier).yaml")
            try await host.waitForJournal("the plugin") { $0.event == "plugin-installed" && $0.plugin == identifier }
            let board = try #require(PluginIdentifier(identifier))
            let push = PluginPush(payload: Array("the printer\nis back".utf8))
            let reply = try await host.client.push(to: board, push)
            #expect(try await host.outcome(of: reply.submission).event == "succeeded")
            let container = "\(host.stateDirectory)/containers/\(identifier)"
            let notices = { try String(contentsOfFile: "\(container)/notices.txt", encoding: .utf8) }
            let token = { try String(contentsOfFile: "\(container)/device-token.txt", encoding: .utf8) }
            #expect(try notices() == "the printer is back\n")
            let first = try await host.client.pushToken(of: board)
            #expect(try token() == "\(first.token)\n")
            let second = try await host.client.pushToken(of: board, rotating: true)
            #expect(second.token != first.token)
            #expect(try token() == "\(first.token)\n")
            let next = try await host.client.push(to: board, push)
            #expect(try await host.outcome(of: next.submission).event == "succeeded")
            #expect(try token() == "\(second.token)\n")
        }
    }

    @Test func `a plugin registers for pushes, gets the same token until it is rotated, and unregisters`()
        async throws
    {
        try await HostFixture.with(Self.unpaced, plugins: [Self.plugin]) { host in
            let plugin = try #require(PluginIdentifier(Self.plugin.identifier))
            for payload in ["register", "register"] {
                _ = try await host.outcome(of: try await host.push(to: Self.plugin, payload).submission)
            }
            let first = try await host.client.pushToken(of: plugin)
            let second = try await host.client.pushToken(of: plugin, rotating: true)
            for payload in ["register", "unregister", "unregister"] {
                _ = try await host.outcome(of: try await host.push(to: Self.plugin, payload).submission)
            }
            #expect(
                host.containerText(Self.plugin, "tokens.txt") == """
                    BGT_TRUNCATED BGT_OK \(first.token)
                    BGT_TRUNCATED BGT_OK \(first.token)
                    BGT_TRUNCATED BGT_OK \(second.token)
                    BGT_OK
                    BGT_OK

                    """
            )
            #expect(try await host.client.check(PushTokenCheck(token: second.token)).state == .ended)
            let changes = try await host.journal().filter { $0.event == "push-token-changed" }
            #expect(changes.count == 3 && changes.filter { $0.launch != nil }.count == 2)
        }
    }
}

extension HostFixture {
    @discardableResult
    fileprivate func push(
        to plugin: TestPlugin,
        _ payload: String,
        expiresAt: WallTime? = nil
    ) async throws -> PluginPushReply {
        guard let identifier = PluginIdentifier(plugin.identifier) else { throw HostFailure("no identifier") }
        let push = PluginPush(payload: Array(payload.utf8), expiresAt: expiresAt)
        return try await client.push(to: identifier, push)
    }
}
