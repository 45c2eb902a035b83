// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("Scheduler code written for Apple's platforms runs as a plugin, in both language modes")
struct SwiftPatternTests {
    @Test(.proves(12, 34, 45, "C4"), arguments: BuiltLibrary.allCases)
    func `a Swift refresh handler submits the next refresh and runs an operation`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("OperationRefresh", library)
        try await HostFixture.with(plugins: [plugin]) { host in
            // Submitted during the plugin's first entry.
            try await host.started(plugin)
            let first = try #require(try await host.client.tasks().pending.first)
            #expect(first.identifier == plugin.task("refresh") && first.kind == "refresh" && first.earliestBegin != nil)

            let end = try await host.run(plugin, "refresh", .refresh)
            #expect(end.event == "succeeded")
            #expect(host.notes(plugin) == ["refreshing off the main thread: true", "refreshed"])
            let next = try await host.client.tasks().pending
            #expect(next.map(\.identifier) == [plugin.task("refresh")] && next[0].submission > first.submission)
        }
    }

    @Test(.proves(58), arguments: BuiltLibrary.allCases)
    func `a Swift expiration handler cancels an operation, whose completion block completes the task`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("OperationRefresh", library, settings: ["slow": "true"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            try await host.wait(for: "refreshing", of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            let end = try await host.outcome(of: submission)
            #expect(end.event == "failed" && host.notes(plugin).last == "cancelled")
            let launch = try #require(end.launch)
            #expect(try await host.end(ofLaunch: launch).event == "launch-expired")
        }
    }

    @Test(.proves(58, 62), arguments: BuiltLibrary.allCases)
    func `an expiration cancels the Swift task of a refresh handler, and the refresh fails`(
        _ library: BuiltLibrary
    ) async throws {
        var plugin = TestPlugin.part("TaskRefresh", library)
        try await HostFixture.with(plugins: [plugin]) { host in
            try await host.started(plugin)
            #expect(try await host.run(plugin, "refresh", .refresh).event == "succeeded")
            #expect(host.notes(plugin) == ["fetching", "stored 2"])
            #expect(try await host.pending() == [plugin.task("refresh")])
        }
        plugin.settings["slow"] = "true"
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            try await host.wait(for: "fetching", of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            #expect(try await host.outcome(of: submission).event == "failed")
            #expect(host.notes(plugin) == ["fetching"])
        }
    }

    @Test(.proves(55, 60, 68), arguments: BuiltLibrary.allCases)
    func `a Swift processing task receives its expiration reason and submits the next request in the handler`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("DatabaseCleanup", library, settings: ["slow": "true"])
        try await HostFixture.with(plugins: [plugin]) { host in
            try await host.started(plugin)
            let first = try #require(try await host.client.tasks().pending.first)
            #expect(first.requiresExternalPower && !first.requiresNetwork && first.kind == "processing")
            _ = try await host.client.run([host.identifier(first.identifier)])
            try await host.wait(for: "cleaning", of: plugin)
            _ = try await host.client.simulateConditions(ConditionsSimulation([.externalPower: .holds(false)]))
            let end = try await host.outcome(of: first.submission)
            #expect(end.event == "failed" && end.blame == "machine")
            #expect(host.notes(plugin).last?.contains("externalPowerLost") == true)
            let next = try #require(try await host.client.tasks().pending.first)
            #expect(next.identifier == first.identifier && next.submission > first.submission)
        }
    }

    @Test(.proves(15, 74, 77, 79, "C8"), arguments: BuiltLibrary.allCases)
    func `a Swift plugin registers and submits a continued task during a launch, and the task reports its progress`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("ContinuedExport", library)
        let export = plugin.task("export.photos")
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "db-cleaning")
            #expect(try await host.outcome(of: submission).event == "succeeded")
            // Title and progress arrive independently.
            let running = try await host.running(export) {
                $0.progress == .init(done: 5, total: 8) && $0.subtitle == "5 of 8 complete"
            }
            #expect(running.kind == "continued" && running.title == "Exporting Photos" && running.budget == nil)
            try host.release(plugin)
            #expect(try await host.outcome(of: running.submission).event == "succeeded")
            #expect(host.notes(plugin).last == "exported Exporting Photos, 8 of 8 complete")
        }
    }

    @Test(.proves(75), arguments: [true, false])
    func `Swift code finds the GPU among the supported resources only on a machine that has one`(_ hasGPU: Bool)
        async throws
    {
        let plugin = TestPlugin.part("ContinuedExport", .swift6)
        try await HostFixture.with(HostSetup(["gpu": "\(hasGPU)"]), plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "db-cleaning")
            #expect(try await host.outcome(of: submission).event == "succeeded")
            let running = try await host.running(plugin.task("export.photos")) { _ in true }
            try host.release(plugin)
            #expect(try await host.outcome(of: running.submission).event == "succeeded")
            #expect(host.notes(plugin).contains("with graphics: true") == hasGPU)
        }
    }

    @Test(.proves(15, 17, "C8"), arguments: BuiltLibrary.allCases)
    func `a Swift plugin registers a listed identifier late, and a later launch for it finds no handler`(
        _ library: BuiltLibrary
    ) async throws {
        let settings = ["identifier": "com.example.colorfeed.report"]
        let plugin = TestPlugin.part("ContinuedExport", library, settings: settings)
        let export = plugin.task("report")
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "db-cleaning")
            #expect(try await host.outcome(of: submission).event == "succeeded")
            let running = try await host.running(export) { $0.progress == .init(done: 5, total: 8) }
            try host.release(plugin)
            let end = try await host.outcome(of: running.submission)
            #expect(end.event == "succeeded")
            _ = try await host.end(ofLaunch: try #require(end.launch))
            let later = try await host.outcome(of: try await host.submitContinued(export))
            #expect(later.event == "not-registered" && later.blame == "plugin")
        }
    }

    @Test(.proves(10, 19, 77, "C9"), arguments: BuiltLibrary.allCases)
    func `a Swift continued task's progress includes its child progresses; a Swift plugin cannot register a pattern`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("ComposedExport", library)
        let export = plugin.task("export.7")
        try await HostFixture.with(plugins: [plugin]) { host in
            // The launch has written its own line, and no other line comes between.
            try await host.started(plugin)
            let submission = try await host.submitContinued(export)
            // Half of one of two children.
            let running = try await host.running(export) { $0.progress.map { 4 * $0.done == $0.total } == true }
            #expect(running.submission == submission)
            try host.release(plugin)
            #expect(try await host.outcome(of: submission).event == "succeeded")
            let notes = ["a pattern is taken: false", "\(export): Export, album 7", "progress 1.0"]
            #expect(host.notes(plugin).suffix(3) == notes)
        }
    }

    @Test(.proves(77))
    func `a Swift continued task with an unknown total reports its completed units, and succeeds`()
        async throws
    {
        let plugin = TestPlugin.part("ComposedExport", .swift6, settings: ["total": "unknown"])
        try await HostFixture.with(plugins: [plugin]) { host in
            try await host.started(plugin)
            let submission = try await host.submitContinued(plugin.task("export.7"))
            _ = try await host.running(plugin.task("export.7")) { $0.progress == .init(done: 50, total: nil) }
            try host.release(plugin)
            #expect(try await host.outcome(of: submission).event == "succeeded")
        }
    }

    @Test(.proves(60, 78), arguments: BuiltLibrary.allCases)
    func `a user's stop reaches the expiration handler of a Swift continued task`(_ library: BuiltLibrary) async throws
    {
        let plugin = TestPlugin.part("ComposedExport", library)
        let export = plugin.task("export.7")
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.submitContinued(export)
            _ = try await host.running(export) { $0.progress != nil }
            _ = try await host.client.stop(host.identifier(export))
            let end = try await host.outcome(of: submission)
            #expect(end.event == "failed" && end.blame == "user")
            #expect(host.notes(plugin).contains { $0.contains("stoppedByUser") })
        }
    }

    @Test(.proves(27, 39, 40, 42, 43), arguments: BuiltLibrary.allCases)
    func `a Swift plugin lists copies of its pending requests and cancels one or all of them`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("PendingListing", library)
        try await HostFixture.with(plugins: [plugin]) { host in
            try await host.started(plugin)
            let cleaning = plugin.task("db-cleaning")
            let tomorrow = HostFixture.tomorrow
            let payload = Array("listed".utf8)
            _ = try await host.submit(cleaning, earliestBegin: tomorrow, requiresExternalPower: true, payload: payload)
            #expect(try await host.run(plugin, "report").event == "succeeded")
            #expect(
                host.notes(plugin) == [
                    "from elsewhere BGProcessingTaskRequest \(cleaning) \(tomorrow.nanoseconds / 1_000_000_000)"
                        + " listed power true",
                    "pending BGAppRefreshTaskRequest \(plugin.task("refresh")) 4000000000 colours power false",
                    "pending BGProcessingTaskRequest \(plugin.task("db-cleaning")) 4000000000 none power true",
                    "unchanged: yes",
                    "after a cancellation: [\"\(plugin.task("db-cleaning"))\"]",
                    "after all: 0",
                ]
            )
            #expect(try await host.pending().isEmpty)
        }
    }

    @Test(.proves(45, 70), arguments: BuiltLibrary.allCases)
    func `a Swift plugin submits a health research request and receives a health research task`(
        _ library: BuiltLibrary
    ) async throws {
        var plugin = TestPlugin.part("Study", library)
        plugin.grants = "health-research: true"
        let study = plugin.task("report")
        try await HostFixture.with(plugins: [plugin]) { host in
            try await host.started(plugin)
            let request = try #require(try await host.client.tasks().pending.first)
            #expect(request.identifier == study && request.kind == "health-research" && request.requiresExternalPower)
            _ = try await host.client.run([host.identifier(study)])
            #expect(try await host.outcome(of: request.submission).event == "succeeded")
            let notes = host.notes(plugin)
            #expect(notes.contains("pending study, protection \(FileProtectionType.complete.rawValue)"))
            #expect(notes.contains("BGHealthResearchTask, processing true, identifier \(study)"))
        }
    }

    @Test(.proves(39, 40))
    func `a Swift plugin lists a continued request of a user with its titles, strategy, resources and payload`()
        async throws
    {
        var plugin = TestPlugin.part("PendingListing", .swift6)
        plugin.grants = "gpu: true"
        let export = plugin.task("export.summer")
        try await HostFixture.with(HostSetup(["gpu": "true"]), plugins: [plugin]) { host in
            try await host.started(plugin)
            // A user's launch starts nevertheless.
            _ = try await host.client.simulateConditions(ConditionsSimulation([.lowMemory: .holds(true)]))
            let terms = ContinuedTerms(title: "Exporting", subtitle: "album 7", resources: .gpu)
            _ = try await host.submitContinued(export, terms, payload: Array("for later".utf8))
            #expect(try await host.run(plugin, "report").event == "succeeded")
            #expect(
                host.notes(plugin).first
                    == "from elsewhere BGContinuedProcessingTaskRequest \(export) Exporting, album 7 1 1 for later"
            )
        }
    }

    @Test(.proves(1, 2, 24, 32, 33, 75, "C14"), arguments: BuiltLibrary.allCases)
    func `Swift code catches a scheduler error by case, by code and as NSError, and reads its sub-reason`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("ErrorHandling", library)
        try await HostFixture.with(plugins: [plugin]) { host in
            try await host.started(plugin)
            #expect(
                host.notes(plugin) == [
                    "unknown is registered: false", "by case: not permitted", "by code: too many, refresh-limit",
                    "by code: the same", "bridged: true BGTaskSchedulerErrorDomain 3", "bridged: not permitted",
                    "bridged: says why: true",
                ]
            )
            #expect(try await host.run(plugin, "db-cleaning").event == "succeeded")
            let last = host.notes(plugin).suffix(2)
            #expect(last.first == "async: not permitted, entitlement-missing")
            #expect(last.last == "completion handler: submitted")
        }
    }

    @Test(.proves(51, "C4"), arguments: BuiltLibrary.allCases)
    func `a Swift handler runs on the queue of its registration, and main-actor code runs on the main thread`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("MainActorHandlers", library)
        try await HostFixture.with(plugins: [plugin]) { host in
            try await host.started(plugin)
            for task in ["refresh", "db-cleaning", "report"] {
                let kind: TaskKind = task == "refresh" ? .refresh : .processing
                #expect(try await host.run(plugin, task, kind).event == "succeeded")
            }
            #expect(
                host.notes(plugin) == [
                    "refresh on the main thread: true", "db-cleaning on the main thread: true",
                    "report on the main thread: false", "and from there on the main thread: true",
                ]
            )
        }
    }

    @Test(arguments: BuiltLibrary.allCases)
    func `the expiration handler of a main-actor task runs on the main thread`(_ library: BuiltLibrary) async throws {
        let plugin = TestPlugin.part("MainActorHandlers", library, settings: ["slow": "true"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            try await host.wait(for: "refresh on the main thread: true", of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            #expect(try await host.outcome(of: submission).event == "failed")
            #expect(host.notes(plugin).last == "expired on the main thread: true")
        }
    }

    @Test(.proves(56))
    func `the completion of a Swift task cancels its expiration call that waits for the main thread`() async throws {
        let plugin = TestPlugin.part("MainActorHandlers", .swift6, settings: ["busy": "true"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.begin(plugin, "refresh", .refresh)
            try await host.wait(for: "refresh on the main thread: true", of: plugin)
            try await host.expireOnceEntered(plugin.task("refresh"))
            let end = try await host.outcome(of: submission)
            #expect(end.event == "succeeded")
            _ = try await host.end(ofLaunch: try #require(end.launch))
            #expect(host.notes(plugin) == ["refresh on the main thread: true", "the main thread is free"])
        }
    }

    @Test(arguments: BuiltLibrary.allCases)
    func `Swift code with schedulers behind protocols, wrapped tasks or handlers passed by name runs as a plugin`(
        _ library: BuiltLibrary
    ) async throws {
        let expected = [
            "CoordinatorShape": ["coordinated com.example.colorfeed.refresh"],
            "WrapperShape": ["by name: com.example.colorfeed.refresh", "wrapped"],
            "OverloadShape": ["a job: com.example.colorfeed.refresh"],
        ]
        for (part, notes) in expected.sorted(by: { $0.key < $1.key }) {
            let plugin = TestPlugin.part(part, library)
            try await HostFixture.with(plugins: [plugin]) { host in
                try await host.started(plugin)
                #expect(try await host.run(plugin, "refresh", .refresh).event == "succeeded")
                if part == "WrapperShape" { #expect(try await host.run(plugin, "db-cleaning").event == "succeeded") }
                #expect(host.notes(plugin) == notes)
            }
        }
    }

    @Test(arguments: BuiltLibrary.allCases)
    func `Swift code with subclasses of tasks, requests and the scheduler, and with conformances of its own, runs`(
        _ library: BuiltLibrary
    ) async throws {
        let plugin = TestPlugin.part("SubclassShape", library)
        try await HostFixture.with(plugins: [plugin]) { host in
            try await host.started(plugin)
            #expect(try await host.run(plugin, "refresh", .refresh).event == "succeeded")
            #expect(
                host.notes(plugin).suffix(4) == [
                    "registered: true", "begins 4000000000",
                    "user info: [\"BGTaskSchedulerSubReason\", \"NSLocalizedDescription\"]",
                    "a played task: false, a refresh task: true",
                ]
            )
            let pending = try await host.client.tasks().pending
            let report = try #require(pending.first { $0.identifier == plugin.task("report") })
            #expect(report.earliestBegin?.wall.nanoseconds == 4_000_000_000_000_000_000)
        }
    }
}
