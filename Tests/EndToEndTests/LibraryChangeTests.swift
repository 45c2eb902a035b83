// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A host detects that a library changed, and loses no request because of it")
struct LibraryChangeTests {
    private static let patient = TestPlugin("Patient", tasks: ["one", "two"])

    @Test func `a pinned library that changes is refused until it has the pinned digest again`() async throws {
        let plugin = TestPlugin("Patient", tasks: ["one"])
        try await HostFixture.with(HostSetup(["network": "false"]), plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            let digest = try await host.show(plugin).libraryDigest
            let pinned = plugin.manifest + "sha256: \(digest)\n"
            let end = try await host.journalEnd()
            try host.directory.write(pinned.utf8, to: plugin.manifestFile)
            try await host.waitForJournal("the pin", after: end) { $0.event == "plugin-changed" }
            let waiting = try await host.submit(plugin.task(), requiresNetwork: true)

            let original = try await PluginCompiler.library("Patient")
            try host.directory.write(original + [0], to: plugin.libraryFile)
            let refusal = try await host.waitForJournal("its refusal") { $0.event == "plugin-refused" }
            #expect(refusal.names(plugin, blame: "nobody", rule: "sha256", remedy: "; "), "\(refusal)")
            #expect(refusal.message.contains(digest), "\(refusal.message)")
            _ = try await host.client.simulateConditions(ConditionsSimulation([.network: .holds(true)]))
            try await host.withstands("the refusal") {
                try await host.why(plugin.task()).reasons.first?.code == "plugin-refused"
            }

            try host.directory.write(original, to: plugin.libraryFile)
            try host.release(plugin)
            #expect(try await host.outcome(of: waiting).event == "succeeded")
        }
    }

    @Test
    func `a library replaced during a launch does not affect that launch, and the next task runs in a new launch`()
        async throws
    {
        try await HostFixture.with(plugins: [.neighbour, Self.patient]) { host in
            try await host.started(Self.patient)
            let submission = try await host.submit(Self.patient.task("one"))
            try await host.waitUntilItRuns(Self.patient)
            let end = try await host.journalEnd()
            var rebuilt = Self.patient
            rebuilt.library = .compiled("Patient", flags: ["-Wl,--build-id=0x6267746173"])
            try await host.install(rebuilt)
            try await host.waitForJournal("the change", after: end) { $0.event == "plugin-changed" }
            let second = try await host.submit(Self.patient.task("two"))
            try await host.withstands(submission: submission)
            try host.release(Self.patient)
            let (first, next) = (try await host.outcome(of: submission), try await host.outcome(of: second))
            #expect(first.event == "succeeded" && next.event == "succeeded" && first.launch != next.launch)
        }
    }

    /// A replaced parent directory causes no notification: only the old directory is watched.
    @Test
    func `a replaced library whose change the directory watch missed is read again, and the new library runs`()
        async throws
    {
        let plugin = TestPlugin("Recorder", tasks: ["processing1"])
        try await HostFixture.with(plugins: [.neighbour]) { host in
            try await host.installDeep(plugin, in: "one/two")
            try await host.started(plugin)
            let end = try await host.journalEnd()
            var rebuilt = plugin
            rebuilt.library = .compiled("Recorder", flags: ["-Wl,--build-id=0x6267746173"])
            try await host.exchangeDeep(rebuilt)
            let submission = try await host.submit(plugin.task())
            try await host.waitForJournal("the change", after: end) { $0.event == "plugin-changed" }
            try await host.waitForJournal("its success", after: end) {
                $0.submission == submission && $0.event == "succeeded"
            }
            // No launch is lost if the catalogue was read between the exchange and the launch.
            let lost = try await host.journal(after: end).filter { $0.event == "launch-lost" }
            #expect((0...2).contains(lost.count), "\(lost)")
            let interrupted = try await host.journal(after: end).filter { $0.event == "interrupted" }
            #expect(
                interrupted.allSatisfy { $0.blame == "host" && $0.message.contains("changed since the host examined") }
            )
            try await host.runNeighbour()
        }
    }

    private static func withoutNote(_ plugin: TestPlugin) -> TestPlugin {
        var plugin = plugin
        plugin.library = .compiled("NoNote")
        return plugin
    }

    @Test
    func `an invalid library whose arrival the directory watch missed is refused, and its plugin's requests wait`()
        async throws
    {
        let plugin = TestPlugin("Recorder", tasks: ["processing1"])
        try await HostFixture.with(HostSetup(["network": "false"]), plugins: [.neighbour]) { host in
            try await host.installDeep(plugin, in: "one/two")
            try await host.started(plugin)
            let end = try await host.journalEnd()
            // A submission after the exchange is refused if the host has read the new library by then.
            let submission = try await host.submit(plugin.task(), requiresNetwork: true)
            try await host.exchangeDeep(Self.withoutNote(plugin))
            try await host.restoreNetwork()
            let refusal = try await host.waitForJournal("its refusal", after: end) {
                $0.event == "plugin-refused" && $0.message.contains("BGT-ABI-02")
            }
            #expect(refusal.blame == "nobody", "\(refusal)")
            let ends = try await host.journal(after: end).filter { $0.submission == submission }
            #expect(ends.allSatisfy { $0.event == "interrupted" }, "\(ends)")
            try await host.runNeighbour()
            #expect(try await host.why(plugin.task()).reasons.first?.code == "plugin-refused")
            // No launch is lost if the catalogue was read between the exchange and the launch.
            let lost = try await host.journal(after: end).filter { $0.event == "launch-lost" }
            #expect((0...2).contains(lost.count), "\(lost)")
        }
    }

    @Test func `a removed library ends no running launch, and its plugin's requests wait until the library is back`()
        async throws
    {
        try await HostFixture.with(plugins: [.neighbour, Self.patient]) { host in
            try await host.started(Self.patient)
            let running = try await host.submit(Self.patient.task("one"))
            try await host.waitUntilItRuns(Self.patient)
            let waiting = try await host.submit(Self.patient.task("two"))
            try host.directory.remove(Self.patient.libraryFile)
            let refusal = try await host.waitForJournal("its refusal") { $0.event == "plugin-refused" }
            #expect(refusal.names(Self.patient, blame: "nobody", rule: "libPatient.so", remedy: "; "), "\(refusal)")
            try await host.withstands(submission: running)
            try host.release(Self.patient)
            #expect(try await host.outcome(of: running).event == "succeeded")
            try await host.withstands("the refusal") {
                try await host.why(Self.patient.task("two")).reasons.first?.code == "plugin-refused"
            }

            try await host.install(Self.patient)
            #expect(try await host.outcome(of: waiting).event == "succeeded")
        }
    }

    @Test func `a plugin removed while it runs completes its task, and its process ends`() async throws {
        try await HostFixture.with(plugins: [.neighbour, Self.patient]) { host in
            try await host.started(Self.patient)
            let running = try await host.submit(Self.patient.task("one"))
            let launch = try await host.launch(of: Self.patient)
            try await host.waitUntilItRuns(Self.patient)
            let waiting = try await host.submit(Self.patient.task("two"))
            try host.directory.remove(Self.patient.manifestFile)
            try host.directory.remove(Self.patient.libraryFile)
            let removal = try await host.waitForJournal("its removal") { $0.event == "plugin-removed" }
            let rule = "kept for 30d"
            let remedy = "reinstall the plugin"
            #expect(removal.names(Self.patient, blame: "nobody", rule: rule, remedy: remedy), "\(removal)")
            try await host.withstands(submission: running)
            try host.release(Self.patient)
            #expect(try await host.outcome(of: running).event == "succeeded")
            _ = try await host.end(ofLaunch: launch.number)
            #expect(!host.runnerProcesses().contains(launch.pid))
            #expect(try await host.client.tasks().pending.map(\.submission) == [waiting])
            try await host.runNeighbour()
        }
    }
}

extension HostFixture {
    /// Installs the plugin with its library in `place/three` below the plugin directory. The manifest names
    /// `one/two/three`.
    fileprivate func installDeep(_ plugin: TestPlugin, in place: String) async throws {
        try directory.makeDirectory("plugins/\(place)/three")
        try directory.write(try await plugin.libraryBytes(), to: "plugins/\(place)/three/lib\(plugin.name).so")
        let manifest = plugin.manifest.replacingOccurrences(of: "library: lib", with: "library: one/two/three/lib")
        try directory.write(manifest.utf8, to: plugin.manifestFile)
    }

    /// Replaces `one/two`, the parent of the directory that contains the plugin's library, by another directory.
    fileprivate func exchangeDeep(_ plugin: TestPlugin) async throws {
        try directory.makeDirectory("elsewhere/three")
        try directory.write(try await plugin.libraryBytes(), to: "elsewhere/three/lib\(plugin.name).so")
        try FileManager.default.moveItem(atPath: directory.file("plugins/one/two"), toPath: directory.file("old"))
        try FileManager.default.moveItem(atPath: directory.file("elsewhere"), toPath: directory.file("plugins/one/two"))
    }

    fileprivate func restoreNetwork() async throws {
        _ = try await client.simulateConditions(ConditionsSimulation([.network: .holds(true)]))
    }

    /// Waits until the plugin's code is mapped into its process: later changes of the file do not affect it.
    fileprivate func waitUntilItRuns(_ patient: TestPlugin) async throws {
        try await waitForLog("its first line") { $0.contains("patient runs \(patient.task("one"))") }
    }
}
