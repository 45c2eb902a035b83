// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A sender may repeat a push with its identifier, and the push is delivered once", .proves("C21", "C22"))
struct PushRepetitionTests {
    private static let plugin: TestPlugin = {
        var plugin = TestPlugin("ReceivesPushes", tasks: [])
        plugin.modes = ["remote-notification"]
        return plugin
    }()

    @Test func `a repetition after the kill of the host gets the first answer, and is not delivered`() async throws {
        try await HostFixture.with(HostSetup(["push-spacing": "0s"]), plugins: [Self.plugin]) { host in
            let plugin = try #require(PluginIdentifier(Self.plugin.identifier))
            let push = PluginPush(payload: Array("news".utf8), id: UUID())
            let first = try await host.client.push(to: plugin, push)
            #expect(try await host.outcome(of: first.submission).event == "succeeded")
            #expect(try await host.client.push(to: plugin, push) == first)
            host.kill9()
            try await host.restart()
            #expect(try await host.client.push(to: plugin, push) == first)
            let other = PluginPush(payload: Array("more".utf8), id: push.id.flatMap { UUID(uuidString: $0) })
            let second = try await host.client.push(to: plugin, other)
            #expect(second.submission > first.submission)
            #expect(try await host.outcome(of: second.submission).event == "succeeded")
            let received = host.containerText(Self.plugin, "pushes.txt").split(separator: "\n")
            #expect(received.map { $0.suffix(4) } == ["news", "more"])
        }
    }

    @Test func `an identifier that is no UUID is refused with its field`() async throws {
        try await HostFixture.with(plugins: [Self.plugin]) { host in
            let body = Data(#"{"id": "7"}"#.utf8)
            let push = try JSONDecoder().decode(PluginPush.self, from: body)
            let plugin = try #require(PluginIdentifier(Self.plugin.identifier))
            let error = await #expect(throws: ControlError.self) { try await host.client.push(to: plugin, push) }
            #expect(error?.description.contains("no UUID") == true)
        }
    }
}
