// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A request that may run is launched, and the journal records it")
struct RunningTests {
    @Test(.proves(22, 45)) func `an installed plugin receives the started event and runs a submitted task`()
        async throws
    {
        try await HostFixture.with { host in
            let started = try await host.started(.neighbour)
            #expect(started.event == "succeeded")
            let submission = try await host.submit(TestPlugin.neighbour.task())
            let end = try await host.outcome(of: submission)
            #expect(end.event == "succeeded" && end.task == TestPlugin.neighbour.task())
            #expect(host.containerText(.neighbour, "ran.txt") == "\(end.launch ?? 0)\n")
            let launch = try await host.end(ofLaunch: try #require(end.launch))
            #expect(launch.event == "launch-completed" && launch.blame == "nobody")
            #expect(try await host.client.tasks().pending.isEmpty)
        }
    }

    @Test func `the started event lets a plugin submit its first request`() async throws {
        let plugin = TestPlugin("ReceivesStarted")
        try await HostFixture.with(plugins: [plugin]) { host in
            let task = plugin.task()
            let end = try await host.waitForJournal("its task") { $0.task == task && $0.event == "succeeded" }
            // The launch of the event may still be open after the task that it submitted has run.
            try await host.started(plugin)
            let lines = host.containerText(plugin, "events.txt").split(separator: "\n")
            #expect(lines.sorted() == ["started BGT_OK", "task"])
            let launch = try await host.client.launch(LaunchNumber(rawValue: try #require(end.launch)))
            #expect(launch.lane == "background" && launch.cause == "due")
        }
    }

    @Test(.proves(47, "C1")) func `requests that become due during a launch form one batch in the next launch`()
        async throws
    {
        let patient = TestPlugin("Patient", tasks: ["one", "two", "three"])
        try await HostFixture.with(plugins: [patient]) { host in
            let first = try await host.submit(patient.task("one"))
            try await host.waitForLog("the first runs") { $0.contains("patient runs com.example.patient.one") }
            let others = [try await host.submit(patient.task("two")), try await host.submit(patient.task("three"))]
            try host.release(patient)
            let launch = try await host.outcome(of: first).launch
            let (second, third) = (try await host.outcome(of: others[0]), try await host.outcome(of: others[1]))
            #expect(second.launch == third.launch && second.launch != launch)
            #expect([second.event, third.event] == ["succeeded", "succeeded"])
        }
    }

    @Test(.proves(48, "C7")) func `the tasks of one launch share one budget, the largest of their kinds`() async throws
    {
        let plugin = TestPlugin("SharedBudget", tasks: ["one", "two"])
        let setup = HostSetup(["refresh-budget": "50s", "processing-budget": "70s"])
        try await HostFixture.with(setup, plugins: [plugin]) { host in
            let tasks = [plugin.task("one"), plugin.task("two")]
            let one = try await host.submit(tasks[0], .refresh, earliestBegin: HostFixture.tomorrow)
            let two = try await host.submit(tasks[1], earliestBegin: HostFixture.tomorrow)
            let launching = try await host.client.run(tasks.map(host.identifier)).launching
            let launch = try #require(launching.first)
            #expect(try await host.outcome(of: one).launch == launch)
            #expect(try await host.outcome(of: two).launch == launch)

            let lines = host.containerText(plugin, "budget.txt").split(separator: "\n").map(BudgetLine.init)
            try #require(lines.count == 2)
            #expect(lines[0].deadline == lines[1].deadline && lines[0].launch == lines[1].launch)
            #expect(lines[1].remaining < lines[0].remaining)
            #expect(lines[0].remaining > 50_000_000_000 && lines[0].remaining <= 70_000_000_000)
            let shown = try await host.client.launch(LaunchNumber(rawValue: launch))
            #expect(shown.budget?.duration == .seconds(70) && shown.cause == "user")
            #expect(shown.tasks.map(\.task).sorted() == tasks)
        }
    }

    @Test(.proves(35, "C1")) func `a handler may submit its own identifier again, even at the pending limit`()
        async throws
    {
        var plugin = TestPlugin("Resubmits")
        plugin.settings = ["times": "2"]
        try await HostFixture.with(HostSetup(["processing-limit": "1"]), plugins: [plugin]) { host in
            let task = plugin.task()
            let first = try await host.submit(task)
            let second = try await host.waitForJournal("its second run") { line in
                line.task == task && line.event == "succeeded" && line.submission != first
            }
            let last = try await host.waitForJournal("its last run", after: second.number) { line in
                line.task == task && line.event == "succeeded"
            }
            #expect(host.containerText(plugin, "ran.txt") == "2\n1\n0\n")
            let launches = [try await host.outcome(of: first).launch, second.launch, last.launch]
            #expect(Set(launches).count == 3)
        }
    }

    @Test(.proves("C7", "C13"))
    func `a refresh that resubmits itself waits for the spacing of its kind, and why names the key of the spacing`()
        async throws
    {
        var plugin = TestPlugin("Resubmits")
        plugin.settings = ["times": "2", "kind": "refresh"]
        try await HostFixture.with(HostSetup(["refresh-spacing": "1h"]), plugins: [plugin]) { host in
            let task = plugin.task()
            // The launch for the user's request begins no spacing.
            let first = try await host.submit(task, .refresh)
            let second = try await host.waitForJournal("its second run") { line in
                line.task == task && line.event == "succeeded" && line.submission != first
            }
            _ = try await host.end(ofLaunch: try #require(second.launch))
            let why = try await host.why(task)
            #expect(why.reasons.map(\.code) == ["kind-spacing"] && why.change?.code == "kind-spacing")
            #expect(why.change?.message.contains("policies.spacing.refresh") == true)
            #expect(host.containerText(plugin, "ran.txt") == "2\n1\n")
            try await host.stop()
            try await host.restart()
            #expect(try await host.why(task).reasons.map(\.code) == ["kind-spacing"])
            let reported = try await host.bgtask("why", task)
            #expect(reported.output.contains("the last refresh launch for the plugin's own requests ended less than"))
        }
    }

    @Test(.proves(64, "C13"), arguments: [true, false])
    func `why has the learned use of a plugin, after a restart too, if the host learns use`(
        _ isLearning: Bool
    ) async throws {
        var plugin = TestPlugin("Resubmits")
        plugin.settings = ["times": "2", "kind": "refresh"]
        let setup = HostSetup(["refresh-spacing": "1h", "learn-use": "\(isLearning)"])
        try await HostFixture.with(setup, plugins: [plugin]) { host in
            let task = plugin.task()
            // The user's request is a use.
            let first = try await host.submit(task, .refresh)
            let second = try await host.waitForJournal("its second run") { line in
                line.task == task && line.event == "succeeded" && line.submission != first
            }
            _ = try await host.end(ofLaunch: try #require(second.launch))
            try await host.stop()
            try await host.restart()
            let verdict = try await host.why(task).policies?.first { $0.policy == "use" }
            #expect(verdict?.verdict == "may")
            #expect(verdict?.rationale.hasSuffix("; too few uses to expect one") == isLearning)
        }
    }

    @Test(.proves(23)) func `a newer submission replaces the pending request of the same identifier`() async throws {
        try await HostFixture.with { host in
            let task = TestPlugin.neighbour.task()
            let old = try await host.submit(task, earliestBegin: HostFixture.tomorrow)
            let new = try await host.submit(task)
            let replaced = try await host.waitForJournal("the old one's end") { $0.submission == old }
            #expect(replaced.event == "replaced" && replaced.message.contains("\(new)"))
            #expect(try await host.outcome(of: new).event == "succeeded")
        }
    }

    @Test
    func `twenty launches leave none of their processes and fewer than ten additional descriptors of the host`()
        async throws
    {
        try await HostFixture.with(HostSetup(["idle-runners": "0"])) { host in
            try await host.started(.neighbour)
            try await host.runNeighbour()
            let before = host.descriptorTargets().count
            for _ in 0..<20 { try await host.runNeighbour() }
            // Connections of this test may be among them; leaks of twenty launches would be more.
            #expect(host.descriptorTargets().count < before + 10)
            #expect(host.runnerProcesses().isEmpty)
        }
    }
}

/// A line written by SharedBudget.c: NAME launch=N deadline=NS remaining=NS.
private struct BudgetLine {
    let launch: Int
    let deadline: Int
    let remaining: Int

    init(_ line: Substring) {
        let values = line.split(separator: " ").compactMap { $0.split(separator: "=").last.flatMap { Int($0) } }
        (launch, deadline, remaining) = values.count == 3 ? (values[0], values[1], values[2]) : (0, 0, 0)
    }
}
