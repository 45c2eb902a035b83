// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import PluginCatalogue

@testable import Commands

/// A vendor's directory, an operator's directory, and a terminal for commands on both. No host runs.
struct PluginCommandFixture {
    let directory: ScratchDirectory
    let terminal = Terminal()

    static func with(_ body: (PluginCommandFixture) async throws -> Void) async throws {
        try await ScratchDirectory.with { directory in
            for name in ["vendor", "operator"] { try directory.makeDirectory(name) }
            try await body(PluginCommandFixture(directory: directory))
        }
    }

    /// Builds a plugin in the vendor's directory and returns the path of its manifest.
    @discardableResult
    func build(
        _ source: String,
        version: String = "1.0.0",
        lines: [String] = [],
        flags: [String] = [],
        in place: String = "vendor"
    ) async throws -> String {
        try directory.write(try await PluginCompiler.library(source, flags: flags), to: "\(place)/lib\(source).so")
        let all = [
            "manifest: 1", "identifier: com.example.\(source.lowercased())", "version: \(version)",
            "library: lib\(source).so",
        ]
        return try directory.write((all + lines).map { $0 + "\n" }.joined().utf8, to: "\(place)/\(source).yaml")
    }

    func run(_ arguments: String..., answering answer: String? = nil) async -> ExitStatus {
        let all = ["plugin"] + arguments + ["--manifests", directory.file("operator")]
        return await terminal.run(list: all, answering: answer)
    }

    /// Sorted names of all files in the operator's directory, including hidden ones.
    var installed: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.file("operator"))) ?? []).sorted()
    }

    /// The file name that the library `libSOURCE.so` has after its installation, with its digest.
    ///
    /// - Parameters:
    ///   - place: path of the library in the test's directory; nil for the vendor's directory.
    ///   - digits: the number of digits of the digest in the name.
    func installedName(_ source: String, at place: String? = nil, digits: Int = 8) throws -> String {
        "lib\(source)-\(try digest(place ?? "vendor/lib\(source).so").prefix(digits)).so"
    }

    /// The digest of the grants that `plugin install` prints for a manifest.
    func grantsDigest(of manifest: String) async throws -> String {
        try await report(of: manifest).report.grants.digest
    }

    /// Runs `plugin install --json` in a terminal of its own, and returns its exit status and its document.
    func report(of manifest: String, _ arguments: String...) async throws -> (
        status: ExitStatus, report: InstalledPlugin
    ) {
        let terminal = Terminal()
        let list = ["plugin", "install", manifest, "--json", "--manifests", directory.file("operator")] + arguments
        let status = await terminal.run(list: list)
        return (status, try InstalledPlugin(json: terminal.output))
    }

    func digest(_ place: String) throws -> String { try LibraryDigest.of(path: directory.file(place)) }
}

/// The keys of the JSON of `plugin install`.
struct InstalledPlugin: Decodable {
    struct GrantsReport: Decodable {
        let digest: String
        let may: [String]
        let wider: [String]
    }

    let format: Int
    let outcome: String
    let plugin: String
    let replaces: String?
    let grants: GrantsReport

    init(json: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(json.utf8)) }
}
