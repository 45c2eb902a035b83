// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import Testing

@Suite("An operator installs, replaces and removes plugins while the host runs")
struct InstallationTests {
    @Test func `bgtask plugin install adds and replaces a running host's plugin, and plugin remove deletes its files`()
        async throws
    {
        try await HostFixture.with(plugins: []) { host in
            let manifest = try await build(.neighbour, in: host)
            let installed = try await host.bgtask("plugin", "install", manifest, "--yes")
            #expect(installed.status == 0 && installed.error.contains("the host accepted it"), "\(installed)")
            #expect(installed.output.contains(TestPlugin.neighbour.task()))
            let before = try await host.show(.neighbour)
            #expect(before.manifest == host.directory.file("manifests/\(TestPlugin.neighbour.identifier).yaml"))
            let name = "manifests/libNeighbour-\(before.libraryDigest.prefix(8)).so"
            #expect(before.summary.library == host.directory.file(name))
            try await host.runNeighbour()

            var rebuilt = TestPlugin.neighbour
            rebuilt.modes = ["processing"]
            rebuilt.library = .compiled("Neighbour", flags: ["-Wl,--build-id=0x6267746173"])
            let replaced = try await host.bgtask("plugin", "install", build(rebuilt, in: host), "--yes", "--pin")
            #expect(replaced.status == 0 && replaced.output.contains("- modes: fetch"), "\(replaced)")
            let after = try await host.show(.neighbour)
            #expect(after.libraryDigest != before.libraryDigest && after.manifest == before.manifest)
            try await host.runNeighbour()

            let removed = try await host.bgtask("plugin", "remove", TestPlugin.neighbour.identifier, "--yes")
            #expect(removed.status == 0 && removed.error.contains("the host no longer lists the plugin"), "\(removed)")
            #expect(try await host.client.plugins().plugins.isEmpty)
            #expect(try host.installedFiles().isEmpty)
        }
    }

    @Test func `bgtask plugin install names the pending requests that the new manifest does not permit, and how many`()
        async throws
    {
        let plugin = TestPlugin("Recorder", tasks: ["one", "two", "three"])
        try await HostFixture.with(plugins: [plugin]) { host in
            for task in plugin.tasks { try await host.submit(plugin.task(task), earliestBegin: HostFixture.tomorrow) }
            var same = plugin
            same.settings = ["a": "b"]
            let harmless = try await host.bgtask("plugin", "install", build(same, in: host))
            #expect(!harmless.output.contains("strands"), "\(harmless)")

            var narrow = plugin
            narrow.tasks = ["two"]
            let refused = try await host.bgtask("plugin", "install", build(narrow, in: host))
            #expect(refused.status == 2 && refused.error.contains("--yes"), "nothing is confirmed: \(refused)")
            let lines = refused.output.split(separator: "\n").map { $0.drop { $0 == " " } }
            let start = try #require(lines.firstIndex { $0.hasPrefix("strands") }, "\(refused)")
            #expect(lines[start].contains("2 pending requests that the new manifest does not permit"))
            #expect(lines[start + 1..<start + 3].map(String.init) == [plugin.task("one"), plugin.task("three")])
        }
    }

    @Test func `bgtask plugin remove --purge of a plugin that a package also describes removes nothing`() async throws {
        try await ScratchDirectory.with { packages in
            let plugin = TestPlugin("Obedient")
            try await HostFixture.with(HostSetup(["package-manifests": packages.path]), plugins: [plugin]) { host in
                try packages.write(plugin.manifest.utf8, to: "packaged.yaml")
                let submission = try await host.submit(plugin.task(), earliestBegin: HostFixture.tomorrow)
                let refused = try await host.bgtask("plugin", "remove", plugin.identifier, "--purge", "--yes")
                #expect(refused.status == 1, "\(refused)")
                #expect(refused.error.contains("also described by \(packages.file("packaged.yaml")) of a package"))
                #expect(refused.error.contains("remove the package first, or remove the plugin without --purge"))
                let list = try await host.client.plugins()
                #expect(list.plugins.map(\.identifier) == [plugin.identifier])
                #expect(try await host.bgtask("task", "list").output.contains("\(submission)"))
            }
        }
    }

    @Test func `bgtask plugin remove --purge drops pending requests and container of an already removed plugin`()
        async throws
    {
        try await HostFixture.with(plugins: [.neighbour]) { host in
            let plugin = TestPlugin.neighbour
            try await host.runNeighbour()
            let kept = try await host.submit(plugin.task(), earliestBegin: HostFixture.tomorrow)
            let early = try await host.bgtask("plugin", "remove", plugin.identifier, "--yes")
            #expect(early.status == 0 && host.containerText(plugin, "ran.txt") != "")

            let purged = try await host.bgtask("plugin", "remove", plugin.identifier, "--purge", "--yes")
            let deleted = "deleted 1 request or event, and its container and its logs"
            #expect(purged.status == 0 && purged.error.contains(deleted), "\(purged)")
            #expect(try await host.client.tasks().pending.isEmpty)
            #expect(try await host.outcome(of: kept).blame == "user")
            #expect(host.containerText(plugin, "ran.txt") == "")

            let again = try await host.bgtask("plugin", "remove", plugin.identifier, "--purge", "--yes")
            #expect(again.status == 1 && again.error.contains("no plugin \(plugin.identifier) is installed"))
            #expect(again.error.contains("nothing to purge"))
        }
    }

    @Test func `bgtask plugin remove refuses a plugin that a package installed`() async throws {
        try await HostFixture.with(plugins: []) { host in
            let plugin = TestPlugin.neighbour
            try host.directory.write(try await plugin.libraryBytes(), to: plugin.libraryFile)
            try host.directory.write(plugin.manifest.utf8, to: "packages/Neighbour.yaml")
            try await host.waitForJournal("its arrival") { $0.event == "plugin-installed" }
            let removed = try await host.bgtask("plugin", "remove", plugin.identifier, "--yes")
            #expect(removed.status == 1 && removed.error.contains(host.directory.file("packages/Neighbour.yaml")))
            #expect(try await host.client.plugins().plugins.count == 1)
        }
    }

    @Test func `an extension that only the configuration lists can be installed`() async throws {
        let main = TestPlugin("Neighbour", policy: ["extensions: [com.example.obedient]"])
        try await HostFixture.with(plugins: [main]) { host in
            try await host.waitForJournal("its main plugin") { $0.event == "plugin-installed" }
            let library = try await TestPlugin("Obedient").libraryBytes()
            try host.directory.makeDirectory("vendor")
            try host.directory.write(library, to: "vendor/libObedient.so")
            let lines = [
                "manifest: 1", "identifier: com.example.obedient", "library: libObedient.so", "role: extension",
                "containing-plugin: com.example.neighbour",
            ]
            let manifest = try host.directory.write(lines.map { $0 + "\n" }.joined().utf8, to: "vendor/Obedient.yaml")
            let installed = try await host.bgtask("plugin", "install", manifest, "--yes")
            #expect(installed.status == 0 && installed.output.contains("extension of com.example.neighbour"))
            let removed = try await host.bgtask("plugin", "remove", "com.example.neighbour")
            #expect(removed.status == 2 && removed.output.contains("displaces  com.example.obedient"), "\(removed)")
        }
    }

    @Test(arguments: [[], ["--pin"]])
    func `sixteen alternating installations leave complete versions, without files of older ones`(
        pin: [String]
    ) async throws {
        try await HostFixture.with(plugins: []) { host in
            let editions = ["one", "two"].map { edition in
                var plugin = TestPlugin("TwoEditions", tasks: [edition])
                plugin.library = .compiled("TwoEditions", flags: ["-DEDITION=\"\(edition)\""])
                plugin.settings = ["edition": edition]
                return plugin
            }
            for round in 0..<16 {
                let manifest = try await build(editions[round % 2], in: host)
                let installed = try await host.bgtaskList(["plugin", "install", manifest, "--yes"] + pin)
                #expect(installed.status == 0 && installed.error.contains("the host accepted it"), "\(installed)")
                let reply = try await host.show(editions[round % 2])
                #expect(reply.settings == editions[round % 2].settings)
                #expect(try host.installedFiles() == [reply.manifest, reply.summary.library].sorted())
            }
            // The newest version submits the same identifier, which would replace the test's request.
            let change = try #require(try await host.journal().last { $0.event == "plugin-changed" })
            try await host.started(editions[1], after: change.number)
            let last = try await host.submit(editions[1].task())
            #expect(try await host.outcome(of: last).event == "succeeded")
            #expect(host.containerText(editions[0], "mixed.txt") == "")
            let journal = try await host.journal()
            #expect(journal.filter { $0.event == "plugin-refused" || $0.blame != "nobody" } == [])
            #expect(journal.filter { $0.event == "plugin-changed" }.count == 15)
        }
    }

    @Test func `a running launch keeps its library after the file was replaced and deleted`() async throws {
        try await HostFixture.with(plugins: []) { host in
            var patient = TestPlugin("Patient", tasks: ["one"])
            _ = try await host.bgtask("plugin", "install", build(patient, in: host), "--yes")
            try await host.started(patient)
            let submission = try await host.submit(patient.task())
            try await host.waitForLog("its first line") { $0.contains("patient runs") }
            let before = try await host.show(patient).summary.library
            patient.library = .compiled("Patient", flags: ["-Wl,--build-id=0x6267746173"])
            let replaced = try await host.bgtask("plugin", "install", build(patient, in: host), "--yes")
            #expect(replaced.status == 0 && replaced.output.contains(before), "\(replaced)")
            let after = try await host.show(patient)
            #expect(try host.installedFiles() == [after.manifest, after.summary.library].sorted())
            #expect(after.summary.library != before)
            try host.release(patient)
            #expect(try await host.outcome(of: submission).event == "succeeded")
        }
    }

    /// Builds a plugin in a vendor's directory, outside of the host's directories, and returns the path of its
    /// manifest.
    private func build(_ plugin: TestPlugin, in host: HostFixture) async throws -> String {
        try host.directory.makeDirectory("vendor")
        try host.directory.write(try await plugin.libraryBytes(), to: "vendor/lib\(plugin.name).so")
        return try host.directory.write(plugin.manifest.utf8, to: "vendor/\(plugin.name).yaml")
    }
}

extension HostFixture {
    /// Paths of all files in the operator's manifest directory, including hidden ones.
    fileprivate func installedFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.file("manifests")).sorted()
            .map { directory.file("manifests/\($0)") }
    }
}
