// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A programming error ends the process of a Swift plugin after the host has recorded it", .proves("C2"))
struct SwiftMistakeTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let name: String
        /// The expected outcome of the task.
        let outcome: String
        /// A part of the message of the violation that the host journals before the outcome.
        let violation: String
        /// A part of the fatal error that the process logs at its end.
        let lastWords: String

        var testDescription: String { name }
    }

    /// The signals of a trap on x86 and on ARM.
    static let traps = ["SIGILL", "SIGTRAP"]

    static let mistakes = [
        Mistake(
            name: "late",
            outcome: "crashed",
            violation: "was registered after entry",
            lastWords: "all launch handlers must be registered before entry returns"
        ),
        Mistake(
            name: "duplicate",
            outcome: "entry-failed",
            violation: "was registered twice",
            lastWords: "may be registered only once"
        ),
        Mistake(
            name: "unregistered",
            outcome: "crashed",
            violation: "was submitted without a handler",
            lastWords: "no launch handler is registered for the task with identifier"
        ),
    ]

    @Test(.proves(14, 16, 18), arguments: mistakes)
    func `a late or duplicate registration or an unregistered submission is recorded and ends a Swift process`(
        _ mistake: Mistake
    ) async throws {
        let plugin = TestPlugin.part("Mistakes", .swift6, settings: ["mistake": mistake.name])
        try await HostFixture.with(HostSetup(["retry-delay": "1h"]), plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            // No user starts the launch: there a late registration for continued tasks is legal.
            let submission = try await host.submit(plugin.task("refresh"), .refresh)
            let end = try await host.outcome(of: submission)
            #expect(end.event == mistake.outcome && end.blame == "plugin", "\(end)")
            let launch = try #require(end.launch)
            let violation = try await host.violation(in: launch)
            #expect(violation.message.contains("BGT-ABI-10") && violation.message.contains(mistake.violation))
            #expect(violation.number < end.number)
            try await host.waitForLog("the last words") {
                $0.contains("Fatal error: ") && $0.contains(mistake.lastWords)
            }
            #expect(!host.notes(plugin).contains("still there"))
            try await host.runNeighbour()
        }
    }

    @Test(.proves(52)) func `a Swift plugin's task without a handler ends as not-registered, and the process ends`()
        async throws
    {
        let plugin = TestPlugin.part("Mistakes", .swift6, settings: ["mistake": "missing"])
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            let end = try await host.outcome(of: submission)
            #expect(end.event == "not-registered" && end.blame == "plugin")
            try await host.waitForLog("the last words") {
                $0.contains("registered for the task with identifier \"\(plugin.task("refresh"))\", for which")
            }
            let launch = try #require(end.launch)
            #expect(try await host.end(ofLaunch: launch).event == "launch-crashed")
            try await host.runNeighbour()
        }
    }

    @Test(.proves(56, 62))
    func `the completion of a Swift task clears its expiration handler; a second completion is only recorded`()
        async throws
    {
        let plugin = TestPlugin.part("Mistakes", .swift6, settings: ["mistake": "twice"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.run(plugin, "refresh", .refresh)
            #expect(end.event == "succeeded")
            #expect(host.notes(plugin) == ["handling", "the expiration handler is gone: true", "still there"])
            let launch = try #require(end.launch)
            #expect(try await host.violation(in: launch).message.contains("BGT-ABI-09"))
        }
    }

    @Test(.proves("C3"))
    func `a crash in a Swift handler is recorded with its signal, and its message is logged`()
        async throws
    {
        let plugin = TestPlugin.part("Mistakes", .swift6, settings: ["mistake": "crash"])
        try await HostFixture.with(HostSetup(["retry-delay": "1h"]), plugins: [.neighbour, plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            let end = try await host.outcome(of: submission)
            #expect(
                end.event == "crashed" && Self.traps.contains(where: end.message.contains)
                    && end.message.contains("attempt 1 of 3")
            )
            try await host.waitForLog("the last words") { $0.contains("Fatal error: Index out of range") }
            try await host.withstands(submission: submission)
        }
    }

    @Test(.proves("C3"))
    func `an error thrown by a Swift plugin's entry is logged, and the launch's tasks are requeued`()
        async throws
    {
        let plugin = TestPlugin.part("Mistakes", .swift6, settings: ["mistake": "throws"])
        try await HostFixture.with(HostSetup(["retry-delay": "1h"]), plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            let end = try await host.outcome(of: submission)
            #expect(end.event == "entry-failed" && end.message.contains("entry function returned -1"))
            try await host.waitForLog("what was thrown") { $0.contains("the plugin's entry failed: ") }
            #expect(try await host.pending() == [plugin.task("refresh")])
        }
    }
}
