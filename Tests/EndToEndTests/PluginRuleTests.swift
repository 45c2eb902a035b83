// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import Testing

@Suite("Violations of the ABI's rules get a status", .proves("C2"))
struct PluginRuleTests {
    @Test(.proves(62)) func `a second completion of a task is refused and journaled, and the first outcome stays`()
        async throws
    {
        let plugin = TestPlugin("CompletesTwice", tasks: ["task", "slow"])
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let submissions = try await host.submitTogether(plugin)
            for submission in submissions { #expect(try await host.outcome(of: submission).event == "succeeded") }
            let violation = try await host.waitForJournal("the violation") { $0.event == "violation" }
            #expect(violation.plugin == plugin.identifier && violation.blame == "plugin")
            #expect(violation.message.contains("BGT-ABI-09"))
            #expect(host.containerText(plugin, "statuses.txt") == "BGT_OK\nBGT_ALREADY_COMPLETED\n")
            try await host.runNeighbour()
        }
    }

    struct Violation: Sendable, CustomTestStringConvertible {
        let plugin: TestPlugin
        let statuses: String
        let rule: String
        let remedy: String

        var testDescription: String { plugin.name }

        init(_ plugin: String, tasks: [String] = ["task"], _ statuses: String, rule: String, remedy: String) {
            self.plugin = TestPlugin(plugin, tasks: tasks).lingering
            self.statuses = statuses
            self.rule = rule
            self.remedy = remedy
        }
    }

    static let violations = [
        Violation(
            "RegistersLate",
            tasks: ["task", "late"],
            "BGT_WRONG_PHASE\nreleased 1\n",
            rule: "BGT-ABI-10",
            remedy: "register it during entry; only handlers of continued tasks may be registered later"
        ),
        Violation(
            "RegistersTwice",
            "BGT_DUPLICATE\nreleased 1\n",
            rule: "BGT-ABI-10",
            remedy: "remove the second"
        ),
        Violation(
            "RegistersUnpermitted",
            "BGT_NOT_PERMITTED\n",
            rule: "BGT-ABI-10",
            remedy: "add it to permitted-identifiers"
        ),
        Violation(
            "CompletesForeign",
            "BGT_NO_SUCH_TASK\nBGT_NO_SUCH_TASK\nBGT_NO_SUCH_TASK\nBGT_NO_SUCH_TASK\n",
            rule: "BGT-ABI-08",
            remedy: "complete the task that the handler received"
        ),
    ]

    @Test(.proves(1, 14, 16), arguments: violations)
    func `a forbidden call of a plugin returns an error status and is journaled as a violation with a remedy`(
        _ violation: Violation
    ) async throws {
        let plugin = violation.plugin
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            let before = host.containerText(plugin, "statuses.txt")
            let end = try await host.withstandsTask(of: plugin)
            #expect(end.event == "succeeded")
            #expect(host.containerText(plugin, "statuses.txt").dropFirst(before.count) == violation.statuses)
            let line = try await host.violation(in: try #require(end.launch))
            #expect(line.names(plugin, rule: violation.rule, remedy: violation.remedy), "\(line)")
        }
    }

    @Test(.proves(13)) func `registrations do not carry over from one process of a plugin to the next`() async throws {
        let plugin = TestPlugin("RegistersOnce")
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            #expect(try await host.started(plugin).event == "succeeded")
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "not-registered" && end.blame == "plugin")
            try await host.runNeighbour()
        }
    }

    @Test(.proves(18))
    func `a plugin's request for an identifier without a registered handler is refused as unregistered`() async throws {
        let plugin = TestPlugin("SubmitsUnregistered", tasks: ["task", "other"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded")
            let lines = host.containerText(plugin, "statuses.txt").split(separator: "\n")
            #expect(lines.first == "BGT_UNREGISTERED" && lines.count == 2)
            #expect(lines.last?.contains(plugin.task("other")) == true)
            #expect(try await host.client.tasks().pending.isEmpty)
        }
    }

    @Test(
        .proves(2, 3, 24, 32, "C14"),
        arguments: [
            (["fetch", "processing"], ["BGT_OK 0 without words", "BGT_TOO_MANY_PENDING 10 with words"]),
            (["processing"], ["BGT_NOT_PERMITTED 21 with words", "BGT_NOT_PERMITTED 21 with words"]),
        ]
    )
    func `a handler's submission is checked against manifest and limits and returns the host's answer`(
        _ modes: [String],
        _ statuses: [String]
    ) async throws {
        var plugin = TestPlugin("SubmitsRefused", tasks: ["task", "one", "two"])
        plugin.modes = modes
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded")
            let names = ["not permitted", "one refresh", "another refresh"]
            let expected = zip(names, ["BGT_NOT_PERMITTED 20 with words"] + statuses).map { "\($0): \($1)\n" }
            #expect(host.containerText(plugin, "statuses.txt") == expected.joined())
        }
    }

    @Test(.proves("C2")) func `a task without a handler ends as not-registered, while the launch's other tasks run`()
        async throws
    {
        let plugin = TestPlugin("UnregisteredTask", tasks: ["task", "other"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submissions = try await host.submitTogether(plugin)
            let bad = try await host.outcome(of: submissions[0])
            let good = try await host.outcome(of: submissions[1])
            #expect(bad.event == "not-registered" && bad.blame == "plugin" && bad.message.contains("register one"))
            #expect(good.event == "succeeded" && good.launch == bad.launch)
        }
    }

    @Test(.proves(51, "C4")) func `handlers of two identifiers run on separate serial queues, off the main thread`()
        async throws
    {
        let plugin = TestPlugin("ChecksQueues", tasks: ["one", "two"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submissions = try await host.submitTogether(plugin)
            for submission in submissions { #expect(try await host.outcome(of: submission).event == "succeeded") }
            let lines = host.containerText(plugin, "queues.txt").split(separator: "\n").sorted()
            let expected = ["one", "two"].map { "\($0) main=0 inside=1 overlapped=1 shared=0" }
            #expect(lines.map(String.init) == expected)
        }
    }

    @Test func `the main thread runs run_main until stop is called on another thread`() async throws {
        let plugin = TestPlugin("RunsMain")
        try await HostFixture.with(plugins: [plugin]) { host in
            let started = try await host.started(plugin)
            _ = try await host.end(ofLaunch: try #require(started.launch))
            let before = host.containerText(plugin, "main.txt")
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded")
            #expect(try await host.end(ofLaunch: try #require(end.launch)).event == "launch-completed")
            let text = host.containerText(plugin, "main.txt").dropFirst(before.count)
            #expect(text == "run_main main=1\nstop main=0\nrun_main returns\n")
        }
    }

    @Test func `a plugin's output is logged line by line with plugin and launch, without control characters`()
        async throws
    {
        let plugin = TestPlugin("PrintsOutput")
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            let launch = try #require(end.launch)
            let ended = "launch=\(launch) termination="
            try await host.waitForLog("the end of its launch") { $0.contains(ended) }
            let lines = host.log.filter { $0.contains("launch=\(launch) plugin=\(plugin.identifier) stream=") }
            for expected in [
                ("stdout", "a line on stdout"), ("stderr", "a line on stderr"), ("stdout", "no newline at the end"),
                ("stdout", "not UTF-8: "), ("stdout", "red: "), ("stdout", "xxxx"),
            ] {
                #expect(lines.contains { $0.contains("stream=\(expected.0)") && $0.contains(expected.1) })
            }
            #expect(!lines.contains { $0.unicodeScalars.contains { $0.value < 32 || $0.value == 127 } })
            #expect(lines.reduce(0) { $0 + $1.count { $0 == "x" } } >= 10_000)
        }
    }
}
