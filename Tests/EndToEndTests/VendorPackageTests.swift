// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Testing

@Suite("A vendor's package becomes a plugin with bgtask-sdk as its only dependency")
struct VendorPackageTests {
    /// All Swift code blocks of the article about the first plugin. The first three are the package manifest, the entry
    /// function and the work of the plugin.
    private static func article() throws -> [String] {
        let file = root + "/SDK/Sources/BackgroundTasks/BackgroundTasks.docc/Articles/YourFirstPlugin.md"
        return try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
            .map { String($0.prefix(upTo: $0.range(of: "```")?.lowerBound ?? $0.endIndex)) }
    }

    @Test func `the plugin of the article YourFirstPlugin builds against a version of bgtask-sdk by address, and runs`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            try await release("1.0.0", in: directory)
            try directory.makeDirectory("vendor/Sources/DiskReport")
            let blocks = try Self.article()
            try #require(blocks.count > 2)
            let (here, released) = (
                "path: \"/usr/share/bgtask/bgtask-sdk\"",
                "url: \"file://\(directory.file("bgtask-sdk"))\", from: \"1.0.0\""
            )
            try #require(blocks[0].contains(here))
            try directory.write(blocks[0].replacing(here, with: released).utf8, to: "vendor/Package.swift")
            try directory.write((blocks[1] + "\n" + blocks[2]).utf8, to: "vendor/Sources/DiskReport/DiskReport.swift")
            // A compiler needs time, especially on a busy machine.
            let build = try await ProgramRun.of(
                "/usr/bin/env",
                ["swift", "build", "--package-path", directory.file("vendor"), "--product", "DiskReport"],
                within: .seconds(600)
            )
            #expect(build.status == 0, "\(build.output)\(build.error)")
            #expect(!(build.output + build.error).contains("warning: "), "\(build.output)\(build.error)")

            var plugin = TestPlugin("DiskReport", tasks: ["measure"])
            let library = directory.file("vendor/.build/debug/libDiskReport.so")
            plugin.library = .bytes(Array(try Data(contentsOf: URL(filePath: library))))
            try await HostFixture.with(plugins: [plugin]) { host in
                // The plugin submits its first request itself, once it is installed.
                let task = plugin.task("measure")
                let end = try await host.waitForJournal("the first measurement") { $0.task == task }
                #expect(end.event == "succeeded")
                try await host.waitForLog("what it measured") { $0.contains(" bytes are free") }
                #expect(try await host.pending() == [task])
            }
        }
    }

    private static let root = (#filePath as NSString).deletingLastPathComponent + "/../.."

    /// Writes the package as a vendor gets it, with `make sdk`: a git repository with a version tag.
    private func release(_ version: String, in directory: ScratchDirectory) async throws {
        var environment = ProcessInfo.processInfo.environment
        for role in ["AUTHOR", "COMMITTER"] {
            environment["GIT_\(role)_NAME"] = "Vendor"
            environment["GIT_\(role)_EMAIL"] = "vendor@example.com"
        }
        let arguments = ["\(Self.root)/Packaging/sdk", directory.file("bgtask-sdk"), version]
        let run = try await ProgramRun.of("/usr/bin/env", arguments, environment: environment)
        guard run.status == 0 else { throw HostFailure("Packaging/sdk: \(run.output)\(run.error)") }
    }
}
