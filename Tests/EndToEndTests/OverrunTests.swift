// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A plugin that does not stop is killed at deadline plus grace period, while others run")
struct OverrunTests {
    struct Overrun: Sendable, CustomTestStringConvertible {
        let plugin: TestPlugin
        let outcome: String
        let launch: String
        let remedy: String

        var testDescription: String { plugin.name }

        init(_ plugin: String, _ outcome: String, launch: String, remedy: String) {
            self.plugin = TestPlugin(plugin, policy: ["budgets: { processing: 3s }", "grace-period: 200ms"])
            self.outcome = outcome
            self.launch = launch
            self.remedy = remedy
        }
    }

    static let overruns = [
        Overrun("LoopInHandler", "expired", launch: "launch-overran", remedy: "set one"),
        Overrun("LoopInExpirationHandler", "overran", launch: "launch-overran", remedy: "complete the task in its"),
        Overrun("SleepsThroughSignals", "expired", launch: "launch-overran", remedy: "set one"),
        Overrun("NeverCompletes", "overran", launch: "launch-overran", remedy: "complete the task in its"),
    ]

    @Test(.proves(57, 59), arguments: overruns)
    func `an overrunning task is not requeued, and its process is killed`(_ overrun: Overrun)
        async throws
    {
        try await HostFixture.with(plugins: [.neighbour, overrun.plugin]) { host in
            let submission = try await host.submit(overrun.plugin.task())
            let launch = try await host.launch(of: overrun.plugin)
            try await host.withstands(submission: submission)

            let end = try await host.outcome(of: submission)
            let rule = "expired (budget used up)"
            #expect(end.event == overrun.outcome && end.names(overrun.plugin, rule: rule, remedy: overrun.remedy))
            let ended = try await host.end(ofLaunch: launch.number)
            #expect(ended.event == overrun.launch && ended.blame == "plugin")
            #expect(!host.runnerProcesses().contains(launch.pid))
            #expect(try await host.client.tasks().pending.isEmpty)

            let shown = try await host.client.launch(LaunchNumber(rawValue: launch.number))
            #expect(
                shown.outcome == "overran" && (shown.used?.duration ?? .zero) >= (shown.budget?.duration ?? .seconds(1))
            )
            try await host.runNeighbour()
        }
    }

    @Test(.proves("C3"))
    func `an entry that never returns is killed after the grace period and charged as an attempt`() async throws {
        let plugin = TestPlugin(
            "LoopInEntry",
            policy: ["budgets: { processing: 2s, event: 200ms }", "grace-period: 100ms"]
        )
        let setup = HostSetup(["attempts": "2"])
        try await HostFixture.with(setup, plugins: [.neighbour, plugin]) { host in
            let submission = try await host.submit(plugin.task())
            let launch = try await host.launch(of: plugin)
            try await host.withstands(submission: submission)

            let first = try await host.outcome(of: submission)
            #expect(first.event == "entry-failed" && first.blame == "plugin")
            #expect(first.message.contains("entry function did not end within the time limit and the grace period"))
            #expect(try await host.end(ofLaunch: launch.number).event == "launch-entry-failed")
            #expect(!host.runnerProcesses().contains(launch.pid))
            let last = try await host.outcome(of: submission, after: first.number)
            #expect(last.event == "abandoned")
            #expect(last.names(plugin, rule: "abandoned after 2 attempts", remedy: "fix and reinstall"), "\(last)")
        }
    }

    @Test(.proves(49)) func `an expiration handler that never returns does not delay the expiration of other tasks`()
        async throws
    {
        let plugin = TestPlugin(
            "LoopInExpirationHandler",
            tasks: ["task", "obedient"],
            policy: ["budgets: { processing: 1s }", "grace-period: 5s"]
        )
        try await HostFixture.with(plugins: [plugin]) { host in
            let submissions = try await host.submitTogether(plugin)

            let obedient = try await host.outcome(of: submissions[1])
            #expect(obedient.event == "failed" && obedient.message.contains("expired"))
            #expect(host.containerText(plugin, "expired.txt") == "1\n")
            let bad = try await host.outcome(of: submissions[0])
            #expect(bad.event == "overran" && bad.launch == obedient.launch && bad.number > obedient.number)
        }
    }

    @Test func `a task that completes within the grace period ends its launch as expired, without a kill`() async throws
    {
        let plugin = TestPlugin("Obedient", policy: ["budgets: { processing: 500ms }", "grace-period: 30s"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "failed" && end.message.contains("budget used up"))
            #expect(try await host.end(ofLaunch: try #require(end.launch)).event == "launch-expired")
            #expect(host.containerText(plugin, "expired.txt") == "1\n")
        }
    }

    @Test(.proves(60, 89))
    func `a simulated expiration reaches a task with the budget's reason, and kills a task that does not complete`()
        async throws
    {
        let (deaf, obedient) = (TestPlugin("Deaf"), TestPlugin("Obedient"))
        try await HostFixture.with(plugins: [deaf, obedient]) { host in
            let (first, second) = (try await host.submit(deaf.task()), try await host.submit(obedient.task()))
            try await host.waitForLog("the first runs") { $0.contains("deaf runs") }
            let launch = try await host.client.simulateExpiration(of: host.identifier(deaf.task())).launch
            try await host.waitForLog("its reason") { $0.contains("deaf expired, reason 1") }
            let end = try await host.outcome(of: first)
            #expect(end.event == "overran" && end.launch == launch && end.message.contains("budget used up, simulated"))

            try await host.expireOnceEntered(obedient.task())
            #expect(try await host.outcome(of: second).event == "failed")
            #expect(host.containerText(obedient, "expired.txt") == "5\n")
            let nothing = try await host.bgtask("simulate", "expiration", obedient.task())
            #expect(nothing.status == 1 && nothing.error.contains("not-running"))
        }
    }
}
