// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostTestKit
import PluginCatalogue
import PluginChecker

/// A directory with one plugin, and the report of the checker on it.
struct Bench {
    let directory: ScratchDirectory

    static func with(_ body: (Bench) async throws -> Void) async throws {
        try await ScratchDirectory.with { try await body(Bench(directory: $0)) }
    }

    /// Compiles a plugin of `Tests/MisbehavingPlugins`, writes a manifest for it, and returns the manifest's path.
    func install(_ source: String, flags: [String] = [], lines: [String] = []) async throws -> String {
        try directory.write(try await PluginCompiler.library(source, flags: flags), to: "lib\(source).so")
        return try describe(source, lines)
    }

    func describe(_ name: String, _ lines: [String] = []) throws -> String {
        let all = ["manifest: 1", "identifier: com.example.\(name.lowercased())", "library: lib\(name).so"] + lines
        return try directory.write(all.map { $0 + "\n" }.joined().utf8, to: name + ".yaml")
    }

    func check(_ file: String, _ selection: CheckSelection = .everything) -> ManifestReport? {
        let sources = CatalogueReader.manifests(in: CatalogueDirectories(operatorManifests: directory.path)).sources
        return PluginExamination(sources, pluginDirectory: nil).report(on: [file], selection: selection, tool: "test")
            .manifests.first
    }
}

extension ManifestReport {
    func checks(_ outcome: CheckResult.Outcome) -> [PluginCheck] {
        results.filter { $0.outcome == outcome }.map(\.check)
    }
}
