// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Glibc
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A user starts a continued task, and it runs as long as it progresses", .proves("C8"))
struct ContinuedTests {
    private static let progresses = TestPlugin("Progresses", tasks: ["export.*"])
    private static let exported = "com.example.progresses.export.7"

    // MARK: From outside

    @Test(.proves(72, 77, "C8"))
    func `a continued task has a launch of its own without a budget, and its entry receives the task's identifier`()
        async throws
    {
        let plugin = Self.progresses
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let submission = try await host.submitContinued(Self.exported, payload: Array("photos".utf8))
            try await host.waitForLog("it has begun") { $0.contains("progresses has begun") }
            #expect(
                host.containerText(plugin, "info.txt") == """
                    \(Self.exported) 4 0 3 "Export" "album 7" photos
                    no deadline no end

                    """
            )
            let running = try #require(await host.client.tasks().running.first)
            #expect(running.task == Self.exported)
            let shown = try await host.client.launch(LaunchNumber(rawValue: running.launch))
            #expect(shown.lane == "continued" && shown.outcome == nil)
            #expect(running.title == "Exporting" && running.subtitle == "1 of 4 photos" && running.budget == nil)
            #expect(running.progress == .init(done: 1, total: 4))
            // It has waited for a user, and blocks no other plugin.
            try await host.runNeighbour()

            try host.release(plugin)
            let end = try await host.outcome(of: submission)
            #expect(end.event == "succeeded" && end.launch == running.launch)
            #expect(try await host.end(ofLaunch: running.launch).event == "launch-completed")
        }
    }

    @Test(.proves(78)) func `a user's stop expires a continued task, which then fails and is not requeued`()
        async throws
    {
        let plugin = Self.progresses
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.submitContinued(Self.exported)
            try await host.waitForLog("it has begun") { $0.contains("progresses has begun") }
            let stopped = try await host.bgtask("task", "stop", Self.exported)
            #expect(stopped.status == 0, "\(stopped.error)")
            let end = try await host.outcome(of: submission)
            #expect(end.event == "failed" && end.blame == "user" && end.message.contains("stopped by a user"))
            #expect(host.containerText(plugin, "stopped.txt") == "5\n")
            #expect(try await host.client.tasks().pending.isEmpty)
        }
    }

    @Test(.proves(77))
    func `a continued task without progress expires at the stall limit, even if it reports again and again`()
        async throws
    {
        let plugin = TestPlugin("StandsStill", tasks: ["export.*"])
        try await HostFixture.with(HostSetup(["stall-limit": "700ms"]), plugins: [.neighbour, plugin]) { host in
            let submission = try await host.submitContinued("com.example.standsstill.export.1")
            let end = try await host.outcome(of: submission)
            #expect(end.event == "failed" && end.blame == "plugin" && end.message.contains("no progress"))
            #expect(host.containerText(plugin, "stopped.txt") == "6\n")
            try await host.runNeighbour()
        }
    }

    @Test(.proves(77, 79))
    func `invalid progress reports get an error status, and a flood of valid ones delays no other plugin`()
        async throws
    {
        let plugin = TestPlugin("LiesAboutProgress", tasks: ["task", "export.*"])
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let submission = try await host.submitContinued("com.example.liesaboutprogress.export.1")
            try await host.waitForLog("the flood") { $0.contains("begins to flood") }
            try await host.runNeighbour()
            #expect(try await host.outcome(of: submission).event == "succeeded")
            let statuses = host.containerText(plugin, "statuses.txt")
            #expect(statuses.contains("flood 0 refused\n"))
            #expect(statuses.split(separator: "\n").filter { $0.hasSuffix("BGT_INVALID") }.count == 10)
        }
    }

    @Test(.proves("C7")) func `five continued tasks of one plugin run in five separate launches`()
        async throws
    {
        let plugin = Self.progresses
        try await HostFixture.with(HostSetup(["continued-launches": "5"]), plugins: [plugin]) { host in
            var submissions: [Int64] = []
            for index in 1...5 {
                submissions.append(try await host.submitContinued("com.example.progresses.export.\(index)"))
            }
            try host.release(plugin)
            var launches: Set<Int64?> = []
            for submission in submissions {
                let end = try await host.outcome(of: submission)
                #expect(end.event == "succeeded")
                launches.insert(end.launch)
            }
            #expect(launches.count == 5)
        }
    }

    private func refusal(of request: TaskRequest, on host: HostFixture) async -> String {
        do {
            _ = try await host.client.submit(TaskSubmission(request))
            return "accepted"
        } catch let ControlError.refused(status, reply) {
            return "\(status) \(reply.error.code) \(reply.error.subReason)"
        } catch {
            return "\(error)"
        }
    }

    @Test(.proves(73, 74))
    func `a continued request waits for capacity, and with the strategy fail it is refused instead`()
        async throws
    {
        let plugin = Self.progresses
        try await HostFixture.with(HostSetup(["continued-launches": "1"]), plugins: [plugin]) { host in
            let first = try await host.submitContinued(Self.exported)
            try await host.waitForLog("it has begun") { $0.contains("progresses has begun") }
            let fails = TaskRequest(
                identifier: try host.identifier("com.example.progresses.export.8"),
                kind: .continued,
                continued: ContinuedTerms(title: "Export", strategy: .fail)
            )
            #expect(await refusal(of: fails, on: host) == "409 immediate-run-ineligible no-capacity-now")
            let second = try await host.submitContinued("com.example.progresses.export.9")
            #expect(try await host.client.tasks().pending.map(\.identifier) == ["com.example.progresses.export.9"])
            try host.release(plugin)
            for submission in [first, second] { #expect(try await host.outcome(of: submission).event == "succeeded") }
        }
    }

    @Test(
        .proves(75),
        arguments: [
            (grants: "gpu: true", gpu: "false", answer: "403 not-permitted resources-unsupported"),
            (grants: "", gpu: "true", answer: "403 not-permitted entitlement-missing"),
            (grants: "gpu: true", gpu: "true", answer: "accepted"),
        ]
    )
    func `a continued request for the GPU is accepted only with the entitlement and on a machine with a GPU`(
        grants: String,
        gpu: String,
        answer: String
    ) async throws {
        var plugin = Self.progresses
        plugin.grants = grants
        try await HostFixture.with(HostSetup(["gpu": gpu]), plugins: [plugin]) { host in
            // The first launch creates the container, which holds the file that releases the plugin.
            try await host.started(plugin)
            let request = TaskRequest(
                identifier: try host.identifier(Self.exported),
                kind: .continued,
                continued: ContinuedTerms(title: "Export", resources: .gpu)
            )
            #expect(await refusal(of: request, on: host) == answer)
            try host.release(plugin)
        }
    }

    @Test(.proves("C3"))
    func `a continued task that crashes is requeued and succeeds, while another continued task runs on`()
        async throws
    {
        let plugin = Self.progresses
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.submitContinued(Self.exported)
            let other = try await host.submitContinued("com.example.progresses.export.8")
            try await host.waitForLog("the first") { $0.contains("progresses has begun") }
            let running = try #require(try await host.client.tasks().running.first { $0.submission == submission })
            let pid = try await host.client.launch(LaunchNumber(rawValue: running.launch)).pid
            kill(pid, SIGSEGV)
            #expect(try await host.outcome(of: submission).event == "crashed")
            try host.release(plugin)
            let again = try await host.waitForJournal("its success") {
                $0.submission == submission && $0.event == "succeeded"
            }
            #expect(again.launch != running.launch)
            #expect(try await host.outcome(of: other).event == "succeeded")
        }
    }

    // MARK: From a running launch

    private static func submits(_ settings: [String: String] = [:], budget: String = "10min") -> TestPlugin {
        var plugin = TestPlugin("SubmitsContinued", tasks: ["task", "export.*"])
        plugin.settings = settings
        plugin.policy = ["budgets: { processing: \(budget), event: \(budget) }"]
        return plugin
    }

    private static let export = "com.example.submitscontinued.export.1"

    /// Launches the plugin's task at a user's request, so that the launch may submit continued requests.
    private func launchTask(of plugin: TestPlugin, on host: HostFixture) async throws -> Int64 {
        let submission = try await host.submit(plugin.task(), earliestBegin: HostFixture.tomorrow)
        _ = try await host.client.run([host.identifier(plugin.task())])
        return submission
    }

    private func endOfExport(on host: HostFixture) async throws -> JournalLine {
        try await host.waitForJournal("the end of the continued task") {
            $0.task == Self.export && TaskOutcome(rawValue: $0.event) != nil
        }
    }

    @Test(.proves("C8"))
    func `a continued request that a handler submits runs in the handler's process, with its payload and titles`()
        async throws
    {
        let plugin = Self.submits()
        try await HostFixture.with(plugins: [plugin]) { host in
            let task = try await host.outcome(of: try await launchTask(of: plugin, on: host))
            #expect(task.event == "succeeded")
            try await host.waitForLog("it has begun") { $0.contains("the continued task has begun") }
            #expect(
                host.containerText(plugin, "info.txt") == "\(Self.export) \"Exporting\" \"from a handler\" album 7\n"
            )
            let running = try await host.client.tasks().running
            #expect(running.map(\.task) == [Self.export] && running.map(\.launch) == [task.launch])
            // The launch has left the background lane free for the plugin's next launch.
            let next = try await host.submit(plugin.task())
            #expect(try await host.outcome(of: next).event == "succeeded")

            try host.release(plugin)
            let end = try await endOfExport(on: host)
            #expect(end.event == "succeeded" && end.launch == task.launch)
            #expect(host.containerText(plugin, "statuses.txt").hasPrefix("BGT_OK 0\n"))
        }
    }

    @Test(.proves("C8"))
    func `a used-up budget expires the task that submitted a continued task, but not the continued task`()
        async throws
    {
        let plugin = Self.submits(["lingers": "yes"], budget: "1s")
        try await HostFixture.with(plugins: [plugin]) { host in
            let task = try await host.outcome(of: try await launchTask(of: plugin, on: host))
            #expect(task.event == "failed" && task.message.contains("budget used up"))
            #expect(host.containerText(plugin, "expired.txt") == "1\n")
            #expect(try await host.client.tasks().running.map(\.task) == [Self.export])
            try host.release(plugin)
            let end = try await endOfExport(on: host)
            #expect(end.event == "succeeded" && end.launch == task.launch)
            #expect(host.containerText(plugin, "outlived.txt") == "the budget\n")
        }
    }

    @Test(.proves(72)) func `a continued request from a launch that no user started is refused`() async throws {
        let plugin = Self.submits(["when": "started"])
        try await HostFixture.with(plugins: [plugin]) { host in
            #expect(try await host.started(plugin).event == "succeeded")
            // Sub-reason: not in the foreground.
            #expect(host.containerText(plugin, "statuses.txt") == "BGT_NOT_PERMITTED 23\n")
            let due = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(due.event == "succeeded")
            #expect(host.containerText(plugin, "statuses.txt") == "BGT_NOT_PERMITTED 23\nBGT_NOT_PERMITTED 23\n")
            #expect(try await host.client.tasks().pending.isEmpty)
        }
    }

    @Test(.proves(14, 15, 18))
    func `an identifier of continued tasks may be registered during a task, and submitted only then`()
        async throws
    {
        let plugin = TestPlugin("RegistersComposed", tasks: ["task", "late", "export.*"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let task = try await host.outcome(of: try await launchTask(of: plugin, on: host))
            #expect(task.event == "succeeded")
            for name in ["export.1", "export.2", "late"] {
                let end = try await host.waitForJournal("the end of \(name)") {
                    $0.task == plugin.task(name) && TaskOutcome(rawValue: $0.event) != nil
                }
                #expect(end.event == "succeeded" && end.launch == task.launch)
            }
            #expect(
                host.containerText(plugin, "statuses.txt").split(separator: "\n") == [
                    "submit 1 BGT_UNREGISTERED", "register 1 BGT_OK", "register 1 BGT_DUPLICATE", "submit 1 BGT_OK",
                    "submit 2 BGT_UNREGISTERED", "register * BGT_OK", "submit 2 BGT_OK",
                    "register late BGT_OK", "submit late as refresh BGT_UNREGISTERED", "submit late BGT_OK",
                    "register elsewhere BGT_WRONG_PHASE",
                ]
            )
            let taken = host.containerText(plugin, "taken.txt").split(separator: "\n").sorted()
            #expect(
                taken == [
                    "late \(plugin.task("late"))", "name \(plugin.task("export.1"))",
                    "pattern \(plugin.task("export.2"))",
                ]
            )
            // A launch for the identifier registers no handler in its entry.
            let later = try await host.outcome(of: try await host.submitContinued(plugin.task("late")))
            #expect(later.event == "not-registered" && later.blame == "plugin")
        }
    }

    @Test(.proves("C3", "C8"))
    func `a stopping host expires a continued task, whose failure is recorded at the next start`() async throws {
        let plugin = Self.progresses
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.submitContinued(Self.exported)
            try await host.waitForLog("it has begun") { $0.contains("progresses has begun") }
            try await host.stop()
            #expect(host.containerText(plugin, "stopped.txt") == "8\n" && host.runnerProcesses().isEmpty)
            try host.release(plugin)
            try await host.restart()
            #expect(try await host.outcome(of: submission).event == "failed")
        }
    }
}
