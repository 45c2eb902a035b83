// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LinuxSystem
import RunnerWire
import TaskModel
import Testing

@testable import PluginLaunch

extension LaunchTests {
    @Suite("A main bundle has a runner, an Info.plist and a link to the resources")
    struct RunnerBundleTests {
        private static let first = MainBundle(information: Array("first".utf8), resources: "/usr/lib")
        private static let second = MainBundle(information: Array("second".utf8), resources: "/usr/bin")

        private static func inode(_ path: String) throws -> UInt64 {
            var status = stat()
            try #require(stat(path, &status) == 0)
            return UInt64(status.st_ino)
        }

        @Test func `a launch in a bundle runs the bundle's program`() async throws {
            let main = """
                char path[4096] = "";
                if (readlink("/proc/self/exe", path, sizeof path - 1) > 0) puts(path);
                """
            try await LaunchFixture.with(runner: main) { fixture in
                let bundles = fixture.launcher.bundles(in: "\(fixture.directory)/bundles")
                let program = try bundles.make("com.example.feed", Self.first)
                fixture.launcher.take(for: 1, program: program)
                #expect(await fixture.events.end(1).termination == .exited(code: 0))
                let path = try #require(fixture.events.lines(1).first)
                #expect(path.hasSuffix("/bundles/com.example.feed/\(BundleLayout.program)"))
                #expect(BundleLayout.bundle(ofProgram: path)?.hasSuffix("/bundles/com.example.feed") == true)
            }
        }

        @Test func `the programs of all bundles are one copy of the runner, which other users cannot change`()
            async throws
        {
            try await LaunchFixture.with(runner: "return 0;") { fixture in
                let directory = "\(fixture.directory)/bundles"
                let bundles = fixture.launcher.bundles(in: directory)
                let programs = try ["a.b", "c.d"].map { try bundles.make($0, Self.first) }
                #expect(try Self.inode(programs[0]) == Self.inode(programs[1]))
                for path in ["\(directory)/a.b", "\(directory)/a.b/Contents/Linux", programs[0]] {
                    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                    #expect(mode == 0o755, "\(path)")
                }
                #expect(FilePlace.names(in: "\(directory)/a.b/Contents/Linux") == ["bgtask-runner"])
            }
        }

        @Test func `a changed bundle gets the new Info.plist and resources and keeps its program`() async throws {
            try await LaunchFixture.with(runner: "return 0;") { fixture in
                let place = "\(fixture.directory)/bundles/a.b"
                let bundles = fixture.launcher.bundles(in: "\(fixture.directory)/bundles")
                let before = try Self.inode(try bundles.make("a.b", Self.first))
                #expect(FileBytes.text("\(place)/\(BundleLayout.information)") == "first")
                #expect(try Self.inode(try bundles.make("a.b", Self.second)) == before)
                #expect(FileBytes.text("\(place)/\(BundleLayout.information)") == "second")
                #expect(FilePlace.target(of: "\(place)/\(BundleLayout.resources)") == "/usr/bin")
            }
        }

        @Test func `a bundle with single resources has a link to each of them in a directory of its own`()
            async throws
        {
            try await LaunchFixture.with(runner: "return 0;") { fixture in
                let place = "\(fixture.directory)/bundles/a.b/\(BundleLayout.resources)"
                let bundles = fixture.launcher.bundles(in: "\(fixture.directory)/bundles")
                let information = Array("first".utf8)
                let names = ["palette.txt", "de.lproj/names.strings"]
                let single = MainBundle(information: information, resources: "/srv/feed", linked: names)
                _ = try bundles.make("a.b", Self.first)
                _ = try bundles.make("a.b", single)
                for name in names { #expect(FilePlace.target(of: "\(place)/\(name)") == "/srv/feed/\(name)") }
                _ = try bundles.make("a.b", MainBundle(information: information, resources: "/srv/feed", linked: []))
                #expect(FilePlace.isDirectory(place) && FilePlace.names(in: place).isEmpty)
                _ = try bundles.make("a.b", Self.first)
                #expect(FilePlace.target(of: place) == "/usr/lib")
                // The earlier links were exchanged at once, and are deleted.
                #expect(!FilePlace.names(in: FilePlace.directory(of: place)).contains { $0.hasSuffix(".new") })
            }
        }

        @Test func `a deleted bundle is made again, and a removed one is gone`() async throws {
            try await LaunchFixture.with(runner: "return 0;") { fixture in
                let directory = "\(fixture.directory)/bundles"
                let bundles = fixture.launcher.bundles(in: directory)
                let program = try bundles.make("a.b", Self.first)
                try FileManager.default.removeItem(atPath: directory)
                #expect(try bundles.make("a.b", Self.first) == program && FilePlace.isRegular(program))
                bundles.remove(["a.b", "c.d"])
                #expect(FilePlace.names(in: directory) == [".bgtask-runner"])
                bundles.removeAll()
                #expect(FilePlace.names(in: directory).isEmpty)
            }
        }

        @Test(arguments: [
            "", "/Contents", "/Contents/Linux", "/\(BundleLayout.program)", "/\(BundleLayout.information)",
        ])
        func `the permissions that a plugin removed from its bundle are restored at the next launch`(part: String)
            async throws
        {
            try await LaunchFixture.with(runner: "return 0;") { fixture in
                let place = "\(fixture.directory)/bundles/a.b"
                let bundles = fixture.launcher.bundles(in: "\(fixture.directory)/bundles")
                let program = try bundles.make("a.b", Self.first)
                let other = try bundles.make("c.d", Self.first)
                var before = stat()
                try #require(stat(place + part, &before) == 0 && chmod(place + part, 0) == 0)
                #expect(try bundles.make("a.b", Self.first) == program && bundles.make("c.d", Self.first) == other)
                for path in [place + part, "\(fixture.directory)/bundles/c.d\(part)"] {
                    var status = stat()
                    #expect(stat(path, &status) == 0 && status.st_mode == before.st_mode, "\(path)")
                }
            }
        }

        @Test func `a launch whose bundle has no program is unavailable, and the message names the program`()
            async throws
        {
            try await LaunchFixture.with(runner: "return 0;") { fixture in
                fixture.launcher.take(for: 1, program: "/nonexistent/\(BundleLayout.program)")
                let error = await fixture.events.unavailable(1)
                #expect(error.code == .runnerUnusable && error.message.contains("/nonexistent/Contents"))
            }
        }

        @Test(arguments: ["/usr/libexec/bgtask/bgtask-runner", "/Contents/Linux/bgtask-runner", "bgtask-runner"])
        func `a runner outside of a main bundle has no bundle`(path: String) {
            #expect(BundleLayout.bundle(ofProgram: path) == nil)
        }
    }
}
