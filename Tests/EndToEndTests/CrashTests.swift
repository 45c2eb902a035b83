// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A plugin that crashes affects no other plugin")
struct CrashTests {
    struct Crash: Sendable, CustomTestStringConvertible {
        let plugin: TestPlugin
        /// The outcome that the journal contains for each attempt, and for the launch.
        let outcome: String
        /// A text that the journal's message about the crash has to contain.
        let message: String
        let reachesHandlers: Bool

        var testDescription: String { plugin.name }

        init(_ plugin: String, _ outcome: String, _ message: String, reachesHandlers: Bool) {
            self.plugin = TestPlugin(plugin)
            self.outcome = outcome
            self.message = message
            self.reachesHandlers = reachesHandlers
        }
    }

    static let crashes = [
        Crash("CrashInConstructor", "entry-failed", "SIGSEGV", reachesHandlers: false),
        Crash("ExitsInConstructor", "entry-failed", "exited with code 4", reachesHandlers: false),
        Crash("CrashInEntry", "entry-failed", "SIGSEGV", reachesHandlers: false),
        Crash("EntryFails", "entry-failed", "entry function returned -7", reachesHandlers: false),
        Crash("CrashInHandler", "crashed", "SIGSEGV", reachesHandlers: true),
        Crash("OverflowsStack", "crashed", "SIGSEGV", reachesHandlers: true),
        Crash("OverwritesTable", "crashed", "SIGSEGV", reachesHandlers: true),
        Crash("ExitZero", "exited", "exited with code 0", reachesHandlers: true),
    ]

    @Test(.proves("C3"), arguments: crashes)
    func `each attempt of a crashing plugin is charged and explained, and the third abandons the task`(_ crash: Crash)
        async throws
    {
        // A retry runs only when a user requests it: the fault stands as long as the test observes it.
        let setup = HostSetup(["retry-delay": "1h"])
        try await HostFixture.with(setup, plugins: [.neighbour, crash.plugin]) { host in
            let identifier = crash.plugin.identifier
            try await host.started(crash.plugin)
            let start = try await host.journalEnd()
            let submission = try await host.submit(crash.plugin.task())
            let first = try await host.outcome(of: submission)
            #expect(first.names(crash.plugin, rule: "attempt 1 of 3", remedy: "again in 1h"), "\(first)")
            _ = try await host.end(ofLaunch: try #require(first.launch))
            try await host.withstands(submission: submission)

            _ = try await host.tryAgain(crash.plugin.task())
            let last = try await host.tryAgain(crash.plugin.task())
            let remedy = "fix and reinstall the plugin, then submit again"
            #expect(last.names(crash.plugin, rule: "abandoned after 3 attempts", remedy: remedy), "\(last)")
            #expect(last.submission == submission && last.message.contains(crash.message))
            let end = try await host.end(ofLaunch: try #require(last.launch))
            #expect(end.event == "launch-\(crash.outcome)" && end.blame == "plugin")

            let journal = try await host.journal(after: start).filter { $0.plugin == identifier }
            let attempts = journal.filter { $0.submission == submission }
            #expect(attempts.map(\.event) == [crash.outcome, crash.outcome, "abandoned"])
            #expect(Set(attempts.map(\.launch)).count == 3)
            #expect(journal.allSatisfy { $0.launch != nil })

            try await host.runNeighbour()
            #expect(try await host.client.tasks().pending.isEmpty)
            let shown = try await host.client.plugins().plugins.first { $0.identifier == identifier }
            #expect(shown?.state == .failing)
        }
    }

    @Test(.proves("C11"), arguments: crashes.filter { !$0.reachesHandlers })
    func `the started event of a plugin whose entry fails is abandoned, with the failure in its message`(_ crash: Crash)
        async throws
    {
        try await HostFixture.with(plugins: [crash.plugin, .neighbour]) { host in
            let end = try await host.waitForJournal("the event's end") { line in
                line.task == "started" && line.event == "abandoned"
            }
            #expect(end.blame == "plugin" && end.message.contains(crash.message))
            try await host.runNeighbour()
        }
    }

    @Test func `journal and launch show name the refused call, its identifier and the remedy of a failed entry`()
        async throws
    {
        let plugin = TestPlugin("RegistersUnpermitted", tasks: ["another"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let entry = try await host.waitForJournal("the failed entry") { $0.event == "entry-failed" }
            let cause =
                "the entry function failed with 3 (BGT_NOT_PERMITTED): register_handler: \"\(plugin.task("task"))\" was"
                + " registered, but the manifest does not permit it; add it to permitted-identifiers"
            #expect(entry.message.contains(cause), "\(entry)")
            let end = try await host.end(ofLaunch: try #require(entry.launch))
            #expect(end.message.contains(cause), "\(end)")
            let shown = try await host.bgtask("launch", "show", "\(try #require(entry.launch))")
            let words = shown.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains(cause), "\(shown.output)")
        }
    }

    @Test
    func `when one of three tasks crashes their launch, the other two complete uncharged in launches of their own`()
        async throws
    {
        let plugin = TestPlugin("CrashInOneOfThree", tasks: ["one", "two", "three"])
        let setup = HostSetup(["external-power": "false", "retry-delay": "1h"])
        try await HostFixture.with(setup, plugins: [.neighbour, plugin]) { host in
            let submissions = try await host.makeDueTogether(plugin)

            let bad = submissions[1]
            let first = try await host.outcome(of: bad)
            #expect(first.names(plugin, rule: "attempt 1 of 3", remedy: "again in 1h") && first.event == "crashed")
            var launches: [Int64?] = []
            for submission in [submissions[0], submissions[2]] {
                let end = try await host.waitForJournal("a neighbour's end") {
                    $0.submission == submission && $0.event == "succeeded"
                }
                launches.append(end.launch)
                _ = try await host.end(ofLaunch: try #require(end.launch))
            }
            try await host.withstands(submission: bad)
            _ = try await host.tryAgain(plugin.task("two"))
            let last = try await host.tryAgain(plugin.task("two"))
            #expect(last.event == "abandoned" && last.submission == bad && last.message.contains("SIGSEGV"))
            #expect(last.names(plugin, rule: "after 3 attempts", remedy: "then submit again"))
            #expect(launches[0] != launches[1])
            let interrupted = try await host.journal().filter { $0.event == "interrupted" && $0.task != "started" }
            #expect(interrupted.map(\.submission) == [submissions[0], submissions[2]])
            #expect(interrupted.allSatisfy { $0.message.contains("no attempt charged") })
            // Fields IDENTIFIER ATTEMPT LAUNCH: still the first attempt.
            let ran = host.containerText(plugin, "ran.txt").split(separator: "\n").map { $0.split(separator: " ") }
            #expect(ran.count == 2 && ran.allSatisfy { $0[1] == "1" })
            try await host.runNeighbour()
        }
    }

    @Test(.proves("BGT-ABI-16"))
    func `processes that a task leaves behind, in the launch's session or another, are killed with the launch`()
        async throws
    {
        var plugin = TestPlugin("LeavesChild").lingering
        plugin.grants = "processes: true"
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let end = try await host.withstandsTask(of: plugin)
            #expect(end.event == "succeeded")
            let children = host.containerText(plugin, "child.txt").split(separator: "\n").compactMap { Int32($0) }
            #expect(children.count == 2 && host.runnerProcesses().allSatisfy { !children.contains($0) })
            let violation = try await host.violation(in: try #require(end.launch))
            #expect(violation.names(plugin, rule: "BGT-ABI-16", remedy: "wait for started processes"), "\(violation)")
            #expect(violation.message.contains("2 processes of the plugin were still running"))
            try await host.runNeighbour()
        }
    }

    @Test func `a process that removes every mark of its launch is killed when the launch ends`() async throws {
        let plugin = TestPlugin("HidesChild").lingering
        // A sandbox would refuse the removal.
        try await HostFixture.with(HostSetup(["isolation": "off"]), plugins: [.neighbour, plugin]) { host in
            // Their ends would kill the hidden process before it executes its program.
            try await host.started(plugin)
            try await host.started(.neighbour)
            let end = try await host.withstandsTask(of: plugin)
            #expect(end.event == "succeeded")
            let child = try #require(Int32(host.containerText(plugin, "child.txt").prefix { $0 != "\n" }))
            let line = try await host.waitForLog("the kill of the hidden process") { $0.contains("pid=\(child)") }
            #expect(line.contains("hid from its launch") && line.contains("program=sleep"), "\(line)")
            let entry = try await host.waitForJournal("the killed process") { $0.event == "leftover-killed" }
            #expect(entry.plugin == nil && entry.launch == nil && entry.blame == "plugin")
            #expect(entry.message.contains("process \(child) (sleep)") && entry.message.contains("isolation"))
            try await host.runNeighbour()
        }
    }
}
