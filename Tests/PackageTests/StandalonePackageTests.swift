// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("The package of vendors stands alone")
struct StandalonePackageTests {
    @Test func `the package of vendors has no dependencies, and each name of its targets contains BackgroundTasks`()
        async throws
    {
        let manifest = try await PackageManifest.of("SDK")
        #expect(manifest.dependencies.isEmpty)
        // Names of targets are unique in the whole package graph of a vendor.
        #expect(manifest.targets.map(\.name).filter { !$0.contains("BackgroundTasks") } == [])
    }

    @Test func `the Swift Package Index gets pages of every Swift module of the package of vendors`() async throws {
        let text = try String(contentsOf: PackageManifest.root.appending(path: "SDK/.spi.yml"), encoding: .utf8)
        let documented = text.matches(of: /\n +- (\w+)$/.anchorsMatchLineEndings()).map { String($0.1) }
        let products = try await PackageManifest.of("SDK").products.map(\.name)
        #expect(Set(documented) == Set(products).subtracting(["CBackgroundTasks"]))
    }

    @Test func `make sdk adds a commit and a tag per version, and refuses a tag that exists and a foreign directory`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let repository = directory.file("bgtask-sdk")
            for version in ["1.0.0", "1.1.0"] {
                let run = try await write(repository, version)
                #expect(run.status == 0, "\(run.error)")
            }
            let tags = try await ProgramRun.of("/usr/bin/env", ["git", "-C", repository, "tag", "--merged"])
            #expect(tags.output == "1.0.0\n1.1.0\n")
            let again = try await write(repository, "1.1.0")
            #expect(again.status == 1 && again.error.contains("already has the tag 1.1.0"), "\(again.error)")
            let foreign = try await write(directory.path, "1.2.0")
            #expect(foreign.status == 1 && foreign.error.contains("no repository"), "\(foreign.error)")
        }
    }

    private func write(_ repository: String, _ version: String) async throws -> ProgramRun {
        var environment = ProcessInfo.processInfo.environment
        for role in ["AUTHOR", "COMMITTER"] {
            environment["GIT_\(role)_NAME"] = "Vendor"
            environment["GIT_\(role)_EMAIL"] = "vendor@example.com"
        }
        let script = PackageManifest.root.appending(path: "Packaging/sdk").path
        return try await ProgramRun.of("/usr/bin/env", [script, repository, version], environment: environment)
    }
}
