// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A backup of a host is complete, and a restore continues from it without repeating ended work")
struct BackupTests {
    private static func owner(_ path: String) -> UInt32? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_uid : nil
    }

    /// Waits until the plugin has processed its event `started`, and until the launch of the event has ended.
    private func awaitStart(of plugin: TestPlugin, _ host: HostFixture) async throws {
        let launch = try #require(try await host.started(plugin).launch)
        _ = try await host.end(ofLaunch: launch)
    }

    @Test func `after a restore ended tasks do not run again, running and pending ones do, and schedules continue`()
        async throws
    {
        let patient = TestPlugin("Patient", tasks: ["one", "two"])
        let neighbour = TestPlugin("Neighbour", policy: ["schedules: { com.example.neighbour.task: { every: 3d } }"])
        try await HostFixture.with(plugins: [neighbour, patient]) { host in
            try await host.runNeighbour()
            for plugin in [TestPlugin.neighbour, patient] { try await awaitStart(of: plugin, host) }
            let ran = host.containerText(.neighbour, "ran.txt")
            let later = try await host.submit(patient.task("two"), earliestBegin: HostFixture.tomorrow)
            let running = try await host.submit(patient.task("one"))
            try await host.waitForLog("the task runs") { $0.contains("patient runs") }

            let next = try await host.client.schedules().schedules.map(\.next)
            #expect(next.count == 1 && next[0] != nil)
            let file = host.directory.file("backup.tar")
            let backup = try await host.archive("backup", file, "--containers")
            #expect(backup.status == 0 && backup.output.contains("1 pending, 1 launch running"), "\(backup)")
            let recorded = try await host.waitForJournal("the backup") { $0.event == "backed-up" }
            #expect(recorded.message.contains(file) && recorded.user?.command == "bgtask" && recorded.plugin == nil)
            let after = try await host.submit(TestPlugin.neighbour.task(), earliestBegin: HostFixture.tomorrow)

            try host.release(patient)
            #expect(try await host.outcome(of: running).event == "succeeded")
            try await host.stop()
            let containers = host.stateDirectory + "/containers/"
            let owners = [TestPlugin.neighbour, patient].map { Self.owner(containers + $0.identifier) }
            _ = try host.moveStateAway()

            let restore = try await host.archive("restore", file)
            #expect(restore.status == 0 && restore.output.contains("1 pending, 1 launch running"), "\(restore)")
            #expect([TestPlugin.neighbour, patient].map { Self.owner(containers + $0.identifier) } == owners)
            #expect(host.containerText(.neighbour, "ran.txt") == ran)

            try await host.start()
            let restored = try await host.waitForJournal("the restore") { $0.event == "restored" }
            #expect(restored.user == nil && restored.message.contains("incarnation"))
            let lost = try await host.outcome(of: running)
            #expect(lost.event == "interrupted")
            try await host.waitForLog("the task runs again") { $0.contains("patient runs") }
            try host.release(patient)
            let success = try await host.outcome(of: running, after: lost.number)
            #expect(success.event == "succeeded")
            _ = try await host.end(ofLaunch: try #require(success.launch))
            let pending = try await host.client.tasks().pending.map(\.submission)
            #expect(pending == [later])
            #expect(try await host.client.schedules().schedules.map(\.next) == next)
            _ = try await host.client.run([try host.identifier(patient.task("two"))])
            #expect(try await host.outcome(of: later).event == "succeeded")
            #expect(after > later && host.containerText(.neighbour, "ran.txt") == ran)
            let incarnation = try await host.client.host().incarnation
            #expect(incarnation > 1)

            try await host.stop()
            try await host.start()
            #expect(try await host.client.host().incarnation == incarnation)
            #expect(try await host.journal().filter { $0.event == "restored" }.count == 1)
        }
    }

    @Test func `a backup of a stopped host is a private tar file, which standard tools list and verify`() async throws {
        try await HostFixture.with { host in
            try await host.runNeighbour()
            try await host.stop()
            let file = host.directory.file("backup.tar")
            #expect(try await host.archive("backup", file).status == 0)
            var status = stat()
            #expect(stat(file, &status) == 0 && status.st_mode & 0o7777 == 0o600)
            let listed = try await ProgramRun.of("/usr/bin/tar", ["--list", "--file", file])
            #expect(listed.output == "ledger.sqlite\nmanifest.json\nmanifest.json.sha256\n")
            let unpacked = host.directory.file("unpacked")
            try host.directory.makeDirectory("unpacked")
            #expect(try await ProgramRun.of("/usr/bin/tar", ["-x", "-f", file, "-C", unpacked]).status == 0)
            let verify = "cd \(unpacked) && sha256sum --check --strict manifest.json.sha256"
            #expect(try await ProgramRun.of("/bin/sh", ["-c", verify]).status == 0)
            #expect(
                host.directory.text(of: "unpacked/manifest.json")?.contains(TestPlugin.neighbour.identifier) == true
            )

            let again = try await host.archive("backup", file)
            #expect(again.status == 1 && again.error.contains("exists") && again.error.contains("--force"), "\(again)")
            #expect(try await host.archive("backup", file, "--force").status == 0)
            let inside = try await host.archive("backup", host.stateDirectory + "/backup.tar")
            #expect(inside.status == 1 && inside.error.contains("state directory"), "\(inside)")
            let names = try FileManager.default.contentsOfDirectory(atPath: host.directory.path)
            #expect(!names.contains { $0.hasPrefix(".backup.tar") }, "\(names)")
        }
    }

    @Test func `a changed or cut backup, a used and a running state directory are refused, and nothing is written`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.runNeighbour()
            let file = host.directory.file("backup.tar")
            #expect(try await host.archive("backup", file, "--containers").status == 0)
            let running = try await host.archive("restore", file)
            #expect(running.status == 1 && running.error.contains("uses the state directory"), "\(running)")
            try await host.stop()
            let before = try host.stateFiles()
            let used = try await host.archive("restore", file)
            #expect(used.status == 1 && used.error.contains("is not empty") && used.error.contains("mv "), "\(used)")
            #expect(try host.stateFiles() == before)

            _ = try host.moveStateAway()
            let bytes = try #require(FileManager.default.contents(atPath: file))
            let manifest = try #require(bytes.range(of: Data("taken_at".utf8))).lowerBound
            for place in [0, 150, 600, bytes.count / 2, manifest + 14, bytes.count - 1] {
                var changed = bytes
                changed[place] ^= 0x01
                let damaged = try host.directory.write(changed, to: "damaged.tar")
                let refused = try await host.archive("restore", damaged)
                #expect(refused.status == 1 && refused.error.contains("not a complete"), "\(place): \(refused)")
                #expect(!FileManager.default.fileExists(atPath: host.stateDirectory))
            }
            for count in [0, 511, 5_000, bytes.count - 512, bytes.count - 1] {
                let cut = try host.directory.write(bytes.prefix(count), to: "damaged.tar")
                let refused = try await host.archive("restore", cut)
                #expect(refused.status == 1 && refused.error.contains("not a complete"), "\(count): \(refused)")
                #expect(!FileManager.default.fileExists(atPath: host.stateDirectory))
            }
            #expect(try await host.archive("restore", file).status == 0)
            try await host.start()
        }
    }

    @Test func `the value of a secret setting is nowhere in a backup`() async throws {
        let value = "s3cret-77aa-horse-battery"
        try await ScratchDirectory.with { directory in
            let path = try directory.write(value.utf8, to: "token")
            chmod(path, 0o600)
            var plugin = TestPlugin("ReadsSecret", policy: ["secrets: { token: { file: \(path) } }"])
            plugin.manifestLines = ["settings: { url: 'https://example.com', token: { secret: true } }"]
            try await HostFixture.with(plugins: [plugin]) { [plugin] host in
                let end = try await host.outcome(of: try await host.submit(plugin.task()))
                #expect(end.event == "succeeded" && host.containerText(plugin, "token.txt") == value)
                let file = host.directory.file("backup.tar")
                #expect(try await host.archive("backup", file).status == 0)
                let bytes = try #require(FileManager.default.contents(atPath: file))
                #expect(bytes.range(of: Data(value.utf8)) == nil)
                #expect(bytes.range(of: Data(plugin.identifier.utf8)) != nil)
            }
        }
    }

    @Test func `a restore names missing plugins, restores missing keys, and keeps the present list of revoked keys`()
        async throws
    {
        try await HostFixture.with { host in
            let (signers, revoked) = (host.directory.file("signers"), host.directory.file("revoked"))
            try host.directory.write(
                "provenance: { signers: \(signers), revoked: \(revoked) }\n".utf8,
                to: "bgtaskd.yaml"
            )
            try host.directory.write("# trusted at the time of the backup\n".utf8, to: "signers")
            try host.directory.write("# revoked at the time of the backup\n".utf8, to: "revoked")
            try await host.runNeighbour()
            let file = host.directory.file("backup.tar")
            #expect(try await host.archive("backup", file).status == 0)
            try await host.stop()
            _ = try host.moveStateAway()
            try host.directory.remove("signers")
            try host.directory.write("# one more\n".utf8, to: "revoked")
            try host.directory.remove(TestPlugin.neighbour.manifestFile)

            let restore = try await host.archive("restore", file)
            #expect(restore.status == 0 && restore.output.contains("\(signers) restored"), "\(restore)")
            #expect(restore.output.contains("\(revoked) has other contents"), "\(restore)")
            #expect(restore.output.contains("\(TestPlugin.neighbour.identifier) is not installed"), "\(restore)")
            #expect(host.directory.text(of: "signers") == "# trusted at the time of the backup\n")
            #expect(host.directory.text(of: "revoked") == "# one more\n")
            try await host.start()
        }
    }

    @Test func `a host does not start with a restore that is not complete`() async throws {
        try await HostFixture.with { host in
            try await host.stop()
            try host.directory.makeDirectory("state/restoring")
            #expect(try await host.check().output.contains("the restore into \(host.stateDirectory) is not complete"))
            #expect(try await host.refusalToStart().contains("is not complete"))
            try host.directory.remove("state/restoring")
            try await host.start()
            try await host.runNeighbour()
        }
    }
}
