// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import Testing

@Suite("Damage of a plugin to the state of its own process affects only that plugin")
struct ProcessFaultTests {
    @Test func `both tasks of a plugin that has used up the threads of its process run and succeed`()
        async throws
    {
        let plugin = TestPlugin("UsesUpThreads", tasks: ["one", "two"], policy: ["budgets: { processing: 20s }"])
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            for submission in try await host.submitTogether(plugin) {
                #expect(try await host.outcome(of: submission).event == "succeeded")
            }
            #expect(host.containerText(plugin, "statuses.txt") == "no thread\nno thread\n")
            try await host.runNeighbour()
        }
    }

    @Test func `a plugin that never releases a stream's lock does not delay its launch's end and is journaled`()
        async throws
    {
        // Longer than any test waits: the grace period does not end this launch.
        let plugin = TestPlugin("HoldsStreamLock", policy: ["grace-period: 10min"]).lingering
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let end = try await host.withstandsTask(of: plugin)
            #expect(end.event == "succeeded")
            let launch = try #require(end.launch)
            #expect(try await host.end(ofLaunch: launch).event == "launch-completed")
            let violation = try await host.violation(in: launch)
            #expect(violation.names(plugin, rule: "BGT-ABI-16", remedy: "release each lock"), "\(violation)")
            #expect(violation.message.contains("lock of stdout"))
        }
    }

    @Test func `a launch whose plugin has started a thousand threads ends in order`() async throws {
        let plugin = TestPlugin("StartsThreads").lingering
        let setup = HostSetup(configuration: ["launch-limits: { processes: 1200 }"])
        try await HostFixture.with(setup, plugins: [.neighbour, plugin]) { host in
            let end = try await host.withstandsTask(of: plugin)
            #expect(end.event == "succeeded")
            #expect(try await host.end(ofLaunch: try #require(end.launch)).event == "launch-completed")
            let started = host.containerText(plugin, "threads.txt").prefix { $0.isNumber }
            #expect(try #require(Int(started)) >= 1_000)
        }
    }

    @Test(.proves("BGT-ABI-16"))
    func `changes of signal handlers, signal mask, working directory, umask and stdin are journaled with remedies`()
        async throws
    {
        let plugin = TestPlugin("ChangesProcess").lingering
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let start = try await host.journalEnd()
            let end = try await host.withstandsTask(of: plugin)
            #expect(end.event == "succeeded")
            let launch = try #require(end.launch)
            let reported = try await host.journal(after: start).filter {
                $0.event == "violation" && $0.launch == launch
            }
            #expect(reported.allSatisfy { $0.message.contains("BGT-ABI-16") && $0.blame == "plugin" })
            let things = [
                "signal 11 (SIGSEGV) was replaced; leave", "signal 15 (SIGTERM) was replaced; leave",
                "blocked signals now: signal 10; restore",
                "working directory became \"/tmp\"; do not change it", "umask became 0000; do not change it",
                "descriptor 0 (stdin) was closed or replaced; leave it open",
            ]
            for thing in things { #expect(reported.contains { $0.message.contains(thing) }, "\(thing)") }
            #expect(reported.count == things.count)
        }
    }

    @Test(.proves("C3")) func `a task that crashes in its expiration handler is not requeued`() async throws {
        let (plugin, patient) = (TestPlugin("CrashInExpirationHandler"), TestPlugin("Patient", tasks: ["one"]))
        try await HostFixture.with(plugins: [.neighbour, patient, plugin]) { host in
            // Runs before and after the crash.
            let beside = try await host.submit(patient.task())
            try await host.waitForLog("that it runs") { $0.contains("patient runs") }
            let submission = try await host.submit(plugin.task())
            let launch = try await host.launch(of: plugin)
            try await host.withstands(submission: submission)
            try await host.expireOnceEntered(plugin.task())
            let end = try await host.outcome(of: submission)
            #expect(end.event == "crashed" && end.message.contains("SIGSEGV"))
            let rule = "expired (stopped by a user), then"
            #expect(end.names(plugin, rule: rule, remedy: "not requeued; fix and reinstall the plugin"), "\(end)")
            let ended = try await host.end(ofLaunch: launch.number)
            #expect(ended.event == "launch-crashed" && ended.blame == "plugin")
            #expect(!host.runnerProcesses().contains(launch.pid))
            #expect(try await host.client.tasks().pending.isEmpty)
            try await host.withstands(submission: beside)
            try host.release(patient)
            #expect(try await host.outcome(of: beside).event == "succeeded")
        }
    }

    @Test func `a flood of log calls is journaled as a violation, and lines of it are dropped from the log`()
        async throws
    {
        let plugin = TestPlugin("FloodsLog").lingering
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let submission = try await host.submit(plugin.task())
            try await host.waitForLog("the flood") { $0.contains("flood of words") }
            try await host.withstands(submission: submission)
            try host.letGo(plugin)
            let end = try await host.outcome(of: submission)
            #expect(end.event == "succeeded")
            let violation = try await host.violation(in: try #require(end.launch))
            #expect(violation.names(plugin, rule: "1000 lines at once", remedy: "write less"), "\(violation)")
            _ = try await host.end(ofLaunch: try #require(end.launch))
            try await host.waitForLog("the last line") { $0.contains("the flood is over") }
            #expect(host.log.count { $0.contains("flood of words") } < 20_000)
            #expect(host.log.contains { $0.contains("lines dropped") && $0.contains("stream=log") })
        }
    }

    @Test func `a library exchanged while a launch loads it is not entered, and no attempt is charged`() async throws {
        let plugin = TestPlugin("ReplacesItself")
        // In a sandbox, or with a user of its own, the plugin could not write its library.
        let setup = HostSetup(["isolation": "off", "plugin-users": "host"])
        try await HostFixture.with(setup, plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            let next = try await PluginCompiler.library(plugin.name, flags: ["-Wl,--build-id=0x6267746173"])
            try host.directory.write(next, to: plugin.libraryFile + ".next")
            let start = try await host.journalEnd()
            let submission = try await host.submit(plugin.task())
            let success = try await host.waitForJournal("its success") {
                $0.submission == submission && $0.event == "succeeded"
            }
            let entries = host.containerText(plugin, "entries.txt").split(separator: "\n").compactMap { Int64($0) }
            #expect(entries.contains(try #require(success.launch)))
            let others = try await host.journal(after: start).filter {
                $0.submission == submission && $0.event != "succeeded" && $0.launch != nil
            }
            let exchanged = try #require(others.first)
            #expect(exchanged.message.contains("changed since the host examined it") && exchanged.blame == "host")
            #expect(exchanged.message.contains("no attempt charged"))
            #expect(!entries.contains(try #require(exchanged.launch)))
            try await host.runNeighbour()
        }
    }
}
