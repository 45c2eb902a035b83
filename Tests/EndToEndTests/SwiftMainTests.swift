// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostTestKit
import TaskModel
import Testing

@Suite("A Swift plugin whose main type has the attribute @main enters like one with an entry function")
struct SwiftMainTests {
    private static func plugin(_ settings: [String: String] = [:]) throws -> TestPlugin {
        var plugin = TestPlugin("ColorFeed", tasks: ["refresh"])
        plugin.library = .bytes(try BuiltLibrary.bytes(of: "SwiftPluginMain"))
        plugin.settings = settings
        return plugin
    }

    @Test
    func `a handler that the async launch function of a main type registers after a suspension receives its task`()
        async throws
    {
        let plugin = try Self.plugin(["fails": "false"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.submit(plugin.task("refresh"), .refresh)
            let end = try await host.outcome(of: submission)
            #expect(end.event == "succeeded")
            try await host.waitForLog("the handler") { $0.contains("registered after an await: off true, main true") }
        }
    }

    @Test
    func `an async launch function of a main type that throws is journaled as failed entry, and its error is logged`()
        async throws
    {
        let plugin = try Self.plugin(["fails": "true"])
        try await HostFixture.with(HostSetup(["retry-delay": "1h"]), plugins: [plugin]) { host in
            let submission = try await host.submit(plugin.task("refresh"), .refresh)
            let end = try await host.outcome(of: submission)
            #expect(end.event == "entry-failed" && end.blame == "plugin")
            try await host.waitForLog("the error") { $0.contains("the plugin's entry failed: Refused()") }
        }
    }
}
