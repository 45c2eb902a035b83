// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Testing

@Suite("A vendor's package makes a plugin with nothing but a dependency on this one")
struct VendorPackageTests {
    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "vendor",
            products: [.library(name: "Vendor", type: .dynamic, targets: ["Vendor"])],
            dependencies: [.package(url: "%@", from: "1.0.0")],
            targets: [.target(name: "Vendor", dependencies: [.product(name: "BackgroundTasks", package: "bgtask")])]
        )

        """

    /// The five lines are the entry; the rest is what the plugin is for.
    private static let source = """
        import BackgroundTasks

        @c(bgtask_plugin_entry) public func enter(_ host: PluginHost, _ hooks: PluginHooks) -> Int32 {
            BackgroundPlugin.enter(host, hooks) { launch() }
        }

        @MainActor func launch() {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.vendor.task", using: nil) { task in
                task.setTaskCompleted(success: true)
            }
        }

        """

    @Test func `a released version of this package is enough, and the host runs what comes of it`() async throws {
        try await ScratchFolder.with { folder in
            try await release("1.0.0", in: folder)
            try folder.makeFolder("vendor/Sources/Vendor")
            let manifest = String(format: Self.manifest, "file://\(folder.file("bgtask"))")
            try folder.write(manifest.utf8, to: "vendor/Package.swift")
            try folder.write(Self.source.utf8, to: "vendor/Sources/Vendor/Vendor.swift")
            // The versions that this package was built with, so that nothing newer is looked for.
            if let pins = FileManager.default.contents(atPath: Self.root + "/Package.resolved") {
                try folder.write(pins, to: "vendor/Package.resolved")
            }
            // A compiler takes its time, all the more where others are at work.
            let build = try await ProgramRun.of(
                "/usr/bin/env",
                ["swift", "build", "--package-path", folder.file("vendor"), "-c", "release", "--product", "Vendor"],
                within: .seconds(600)
            )
            #expect(build.status == 0, "\(build.output)\(build.error)")
            #expect(!(build.output + build.error).contains("warning: "), "\(build.output)\(build.error)")

            var plugin = TestPlugin("Vendor")
            let library = folder.file("vendor/.build/release/libVendor.so")
            plugin.library = .bytes(Array(try Data(contentsOf: URL(filePath: library))))
            try await HostFixture.with(plugins: [plugin]) { host in
                let end = try await host.outcome(of: try await host.submit(plugin.task()))
                #expect(end.event == "succeeded")
            }
        }
    }

    private static let root = (#filePath as NSString).deletingLastPathComponent + "/../.."

    /// This package as others get it: a repository with a tag.
    private func release(_ version: String, in folder: ScratchFolder) async throws {
        let package = folder.file("bgtask")
        try folder.makeFolder("bgtask")
        for name in ["Package.swift", "Plugins", "Sources", "Tests"] {
            try FileManager.default.copyItem(atPath: "\(Self.root)/\(name)", toPath: "\(package)/\(name)")
        }
        let author = ["-c", "user.name=Vendor", "-c", "user.email=vendor@example.com"]
        for arguments in [["init", "-q"], ["add", "-A"], author + ["commit", "-qm", version], ["tag", version]] {
            let run = try await ProgramRun.of("/usr/bin/env", ["git", "-C", package] + arguments)
            guard run.status == 0 else { throw HostFailure("git \(arguments.joined(separator: " ")): \(run.error)") }
        }
    }
}
