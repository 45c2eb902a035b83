// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A background assertion keeps a launch open after its last task, at most for its budget")
struct AssertionTests {
    /// A plugin that keeps an assertion open until the test releases it or it expires.
    private static func holdsOpen(budget: String = "10min", gracePeriod: String = "30s") -> TestPlugin {
        TestPlugin(
            "HoldsOpen",
            policy: ["budgets: { processing: \(budget), event: \(budget) }", "grace-period: \(gracePeriod)"]
        )
    }

    /// Runs a task of the plugin to completion. An assertion keeps the returned launch open.
    private func hold(_ plugin: TestPlugin, on host: HostFixture) async throws -> LaunchNumber {
        let end = try await host.outcome(of: try await host.submit(plugin.task()))
        #expect(end.event == "succeeded")
        return LaunchNumber(rawValue: try #require(end.launch))
    }

    @Test(.proves(81, 83))
    func `a launch with an open assertion stays open after its task completed, and its lane stays busy`() async throws {
        let plugin = Self.holdsOpen()
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let launch = try await hold(plugin, on: host)
            let shown = try await host.client.launch(launch)
            #expect(shown.assertions == ["flush"] && shown.outcome == nil)
            #expect(shown.tasks.map(\.outcome) == ["succeeded"])
            let text = try await host.bgtask("launch", "show", "\(launch)")
            #expect(text.output.contains("by assertion \"flush\""))

            let next = try await host.submit(plugin.task())
            let why = try await host.why(plugin.task())
            #expect(why.reasons.map(\.code) == ["lane-busy"] && why.reasons[0].message.contains("\(launch)"))
            try await host.runNeighbour()

            try host.directory.write([], to: "state/containers/\(plugin.identifier)/release")
            let end = try await host.end(ofLaunch: launch.rawValue)
            #expect(end.event == "launch-completed" && end.blame == "nobody")
            #expect(try await host.outcome(of: next).event == "succeeded")
            #expect(host.containerText(plugin, "flushed.txt").hasPrefix("in time\n"))
            #expect(host.containerText(plugin, "released.txt").hasPrefix("released flush\n"))
            #expect(host.containerText(plugin, "expired.txt").isEmpty)
            #expect(try await host.client.launch(launch).assertions == nil)
        }
    }

    @Test(.proves(81))
    func `a plugin whose launch is open only because of an assertion is listed as running with no running task`()
        async throws
    {
        let plugin = Self.holdsOpen()
        try await HostFixture.with(plugins: [plugin]) { host in
            let launch = try await hold(plugin, on: host)
            let held = try await host.show(plugin).summary
            #expect(held.state == .running && held.running == 0)
            let list = try await host.bgtask("plugin", "list")
            let row = try #require(list.output.split(separator: "\n").first { $0.hasPrefix(plugin.identifier) })
            #expect(row.split(separator: " ").suffix(2) == ["0", "running"], "\(list.output)")

            try host.release(plugin)
            _ = try await host.end(ofLaunch: launch.rawValue)
            #expect(try await host.show(plugin).summary.state == .ready)
        }
    }

    @Test(.proves(82, "C18"))
    func `an assertion expires at the deadline off the main thread; a launch completes if its assertion ends in time`()
        async throws
    {
        let plugin = Self.holdsOpen(budget: "700ms")
        try await HostFixture.with(plugins: [plugin]) { host in
            let launch = try await hold(plugin, on: host)
            let end = try await host.end(ofLaunch: launch.rawValue)
            #expect(end.event == "launch-completed" && !end.message.contains("still open"))
            #expect(host.containerText(plugin, "expired.txt") == "flush 1 BGT_OK BGT_ENDED\n")
            #expect(host.containerText(plugin, "thread.txt") == "main=0\n")
            #expect(host.containerText(plugin, "released.txt") == "released flush\n")
        }
    }

    @Test(.proves(82)) func `a simulated expiration also expires an open assertion`() async throws {
        let plugin = Self.holdsOpen()
        try await HostFixture.with(plugins: [plugin]) { host in
            let launch = try await hold(plugin, on: host)
            let stopped = try await host.bgtask("simulate", "expiration", plugin.task())
            #expect(stopped.status == 0)
            #expect(try await host.end(ofLaunch: launch.rawValue).event == "launch-completed")
            #expect(host.containerText(plugin, "expired.txt") == "flush 1 BGT_OK BGT_ENDED\n")
            #expect(host.containerText(plugin, "released.txt") == "released flush\n")
        }
    }

    @Test(.proves(82)) func `a stopping host expires an open assertion and waits until the plugin ends the assertion`()
        async throws
    {
        let plugin = Self.holdsOpen()
        try await HostFixture.with(HostSetup(["grace-period": "30s"]), plugins: [plugin]) { host in
            let launch = try await hold(plugin, on: host)
            try await host.stop()
            #expect(host.runnerProcesses().isEmpty)
            #expect(host.containerText(plugin, "expired.txt") == "flush 8 BGT_OK BGT_ENDED\n")
            #expect(host.containerText(plugin, "released.txt") == "released flush\n")
            try await host.restart()
            #expect(try await host.end(ofLaunch: launch.rawValue).event == "launch-completed")
        }
    }

    @Test(.proves(81)) func `an assertion begun in entry keeps an event's launch open`() async throws {
        var plugin = Self.holdsOpen()
        plugin.settings = ["hold": "entry"]
        try await HostFixture.with(plugins: [plugin]) { host in
            let event = try await host.started(plugin)
            #expect(event.event == "succeeded")
            let launch = LaunchNumber(rawValue: try #require(event.launch))
            let shown = try await host.client.launch(launch)
            #expect(shown.lane == "event" && shown.assertions == ["flush"] && shown.outcome == nil)
            try host.directory.write([], to: "state/containers/\(plugin.identifier)/release")
            #expect(try await host.end(ofLaunch: launch.rawValue).event == "launch-completed")
        }
    }

    @Test(.proves(81)) func `a background assertion keeps the launch of an extension open`() async throws {
        var main = TestPlugin("Recorder", tasks: ["processing1"])
        let child = TestPlugin.extension("HoldsOpen", of: &main)
        try await HostFixture.with(plugins: [main, child]) { host in
            let triggered = try await host.bgtask("trigger", child.identifier)
            #expect(triggered.status == 0)
            let event = try await host.waitForJournal("the trigger's end") {
                $0.plugin == child.identifier && $0.task == "trigger"
            }
            #expect(event.event == "succeeded")
            let launch = LaunchNumber(rawValue: try #require(event.launch))
            #expect(try await host.client.launch(launch).assertions == ["flush"])
            try host.directory.write([], to: "state/containers/\(main.identifier)/release")
            #expect(try await host.end(ofLaunch: launch.rawValue).event == "launch-completed")
            #expect(host.containerText(main, "flushed.txt") == "in time\n")
        }
    }

    @Test(.proves(81, 82))
    func `forged assertion messages are limited in number and hold the launch no longer than the grace period`()
        async throws
    {
        let plugin = TestPlugin("ForgesAssertions", policy: ["grace-period: 200ms"])
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let done = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(done.event == "succeeded")
            try await host.withstands(launch: try #require(done.launch))
            try await host.expireOnceEntered(plugin.task())
            let end = try await host.end(ofLaunch: try #require(done.launch))
            #expect(end.event == "launch-overran" && end.blame == "plugin" && end.message.contains("and 59 more"))
            let violations = try await host.journal().filter { $0.event == "violation" && $0.launch == done.launch }
            #expect(violations.count == 20 && violations.allSatisfy { $0.message.contains("BGT-ABI-08") })
            #expect(violations[0].message.contains("belongs to another launch"))
            #expect(violations[1].message.contains("ended assertion"))
            #expect(violations[2].message.contains("64 assertions were open"))
            try await host.runNeighbour()
        }
    }

    @Test(.proves(82), arguments: ["loops", "returns"])
    func `an assertion that is never ended makes its launch overrun, and the task stays succeeded`(
        handler: String
    ) async throws {
        var plugin = TestPlugin(
            "NeverEndsAssertion",
            policy: ["budgets: { processing: 3s }", "grace-period: 500ms"]
        )
        plugin.settings = ["handler": handler]
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let done = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(done.event == "succeeded")
            let launch = try await host.launch(of: plugin)
            try await host.withstands(launch: launch.number)

            let end = try await host.end(ofLaunch: launch.number)
            #expect(end.event == "launch-overran" && end.blame == "plugin")
            #expect(end.message.contains("BGT-ABI-14") && end.message.contains("assertion \"forever\""))
            #expect(!end.message.contains("prompt") && end.message.contains("in the expiration handler"))
            #expect(host.containerText(plugin, "expired.txt") == "1\n")
            #expect(host.containerText(plugin, "prompt.txt") == "1 BGT_OK\n")
            #expect(!host.runnerProcesses().contains(launch.pid))
            let shown = try await host.client.launch(LaunchNumber(rawValue: launch.number))
            #expect(shown.tasks.map(\.outcome) == ["succeeded"] && shown.assertions == nil)
            #expect(try await host.client.tasks().pending.isEmpty)
            try await host.runNeighbour()
        }
    }

    @Test(.proves(81))
    func `misuses of background assertions return error statuses, and each assertion's context is released once`()
        async throws
    {
        let plugin = TestPlugin("EndsAssertionsTwice")
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            _ = try await host.end(ofLaunch: try #require(try await host.started(plugin).launch))
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded")
            let launch = try #require(end.launch)
            #expect(try await host.end(ofLaunch: launch).event == "launch-completed")
            let statuses = host.containerText(plugin, "statuses.txt")
            // The launch of the event has already passed `stop`.
            #expect(statuses.hasSuffix(Self.statuses))
            let counts = host.containerText(plugin, "contexts.txt").split(separator: "\n").last ?? ""
            let fields = counts.split(separator: " ").map(String.init)
            #expect(fields.count == 3 && fields.first == fields.last && fields.first != "1", "\(counts)")

            let violations = try await host.journal().filter { $0.event == "violation" && $0.launch == launch }
            #expect(violations.count == 3)
            #expect(violations.allSatisfy { $0.message.contains("BGT-ABI-08") && $0.blame == "plugin" })
            try await host.runNeighbour()
        }
    }

    private static let statuses = """
        begin BGT_OK
        end BGT_OK
        end again BGT_NOT_FOUND
        end zero BGT_NOT_FOUND
        end a task BGT_NOT_FOUND
        a name as long as can be BGT_OK
        numbers are new BGT_OK
        end BGT_OK
        too long a name BGT_INVALID
        gives no number BGT_OK
        not UTF-8 BGT_INVALID
        no name BGT_INVALID
        no place BGT_INVALID
        as many as can be BGT_OK
        one more BGT_UNAVAILABLE
        begin when all is over BGT_ENDED
        gives no number BGT_OK

        """
}
