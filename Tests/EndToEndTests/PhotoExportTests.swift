// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("PhotoExport compresses an album and leaves no partial photo", .enabled(if: Photography.isPossible))
struct PhotoExportTests {
    private static let album = "com.example.photoexport.album.summer"
    private static let names = (1...6).map { "IMG_000\($0).jpg" }

    private func with(_ settings: [String: String] = [:], _ body: (HostFixture, TestPlugin) async throws -> Void)
        async throws
    {
        var plugin = TestPlugin("PhotoExport", tasks: ["album.*"])
        plugin.modes = []
        plugin.settings = settings
        plugin.library = .bytes(try await ExampleLibrary.bytes("PhotoExport"))
        try await HostFixture.with(plugins: [plugin]) { host in
            let container = "state/containers/\(plugin.identifier)"
            try host.directory.makeDirectory("\(container)/photos/summer")
            try await Photography.take(Self.names.count, into: host.directory.file("\(container)/photos/summer"))
            try await body(host, plugin)
        }
    }

    private func exported(_ host: HostFixture, _ plugin: TestPlugin) -> [String] {
        let directory = "\(host.stateDirectory)/containers/\(plugin.identifier)/exported/summer"
        return ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    private func bytes(_ host: HostFixture, _ plugin: TestPlugin, _ directory: String, _ name: String) throws -> Data {
        let container = "\(host.stateDirectory)/containers/\(plugin.identifier)"
        return try Data(contentsOf: URL(filePath: "\(container)/\(directory)/summer/\(name)"))
    }

    @Test func `PhotoExport exports every photo smaller, complete and with its Exif data`() async throws {
        try await with { host, plugin in
            let end = try await host.outcome(of: try await host.submitContinued(Self.album))
            #expect(end.event == "succeeded")
            #expect(exported(host, plugin) == Self.names)
            for name in Self.names {
                let original = try bytes(host, plugin, "photos", name)
                let photo = try bytes(host, plugin, "exported", name)
                #expect(photo.count < original.count / 2)
                #expect(photo.starts(with: [0xff, 0xd8]) && photo.suffix(2) == Data([0xff, 0xd9]))
                #expect(photo.range(of: Data("Exif".utf8)) != nil && photo.range(of: Data("2026:07:".utf8)) != nil)
            }
            // All photos have been exported already.
            let again = try await host.outcome(of: try await host.submitContinued(Self.album))
            #expect(again.event == "no-data")
        }
    }

    @Test(.proves(78))
    func `a stopped PhotoExport keeps complete photos only, and the next export adds the missing photos`() async throws
    {
        try await with(["pause-ms": "300"]) { host, plugin in
            let submission = try await host.submitContinued(Self.album)
            while exported(host, plugin).filter({ $0.hasSuffix(".jpg") }).isEmpty { await Task.yield() }
            let stopped = try await host.bgtask("task", "stop", Self.album)
            #expect(stopped.status == 0)
            let end = try await host.outcome(of: submission)
            #expect(end.event == "failed" && end.blame == "user")
            _ = try await host.end(ofLaunch: try #require(end.launch))
            let kept = exported(host, plugin)
            #expect(!kept.isEmpty && kept.count < Self.names.count && Set(kept).isSubset(of: Self.names))
            for name in kept { #expect(try bytes(host, plugin, "exported", name).suffix(2) == Data([0xff, 0xd9])) }
            let first = try bytes(host, plugin, "exported", kept[0])

            let rest = try await host.outcome(of: try await host.submitContinued(Self.album))
            #expect(rest.event == "succeeded" && exported(host, plugin) == Self.names)
            #expect(try bytes(host, plugin, "exported", kept[0]) == first)
            try await host.waitForLog("what was there") { $0.contains("\(kept.count) were there before") }
        }
    }

    @Test func `a killed PhotoExport leaves no partial photo after its next run`() async throws {
        try await with(["pause-ms": "100"]) { host, plugin in
            let submission = try await host.submitContinued(Self.album)
            while exported(host, plugin).filter({ $0.hasSuffix(".jpg") }).isEmpty { await Task.yield() }
            let running = try #require(try await host.client.tasks().running.first)
            kill(try await host.client.launch(LaunchNumber(rawValue: running.launch)).pid, SIGKILL)
            let end = try await host.waitForJournal("its success") {
                $0.submission == submission && $0.event == "succeeded"
            }
            #expect(end.launch != running.launch && exported(host, plugin) == Self.names)
            let killed = try await host.outcome(of: submission)
            #expect(killed.event == "continues" && killed.message.contains("no attempt charged"))
        }
    }

    @Test func `PhotoExport names an invalid photo, exports the others, and fails for a missing directory`()
        async throws
    {
        try await with { host, plugin in
            let container = "state/containers/\(plugin.identifier)"
            try host.directory.write(Array("no photo".utf8), to: "\(container)/photos/summer/broken.jpg")
            try host.directory.write(Array("notes".utf8), to: "\(container)/photos/summer/notes.txt")
            let end = try await host.outcome(of: try await host.submitContinued(Self.album))
            #expect(end.event == "failed" && end.blame == "plugin")
            #expect(exported(host, plugin) == Self.names)
            try await host.waitForLog("the broken one") { $0.contains("broken.jpg is not exported: no JPEG file") }
            let missing = try await host.outcome(
                of: try await host.submitContinued("com.example.photoexport.album.winter")
            )
            #expect(missing.event == "failed")
            try await host.waitForLog("the directory") { $0.contains("is not a directory; put the album there") }
        }
    }
}
