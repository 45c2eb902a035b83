// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit

/// The results of `bgtask plugin check` for one manifest.
struct CheckedPlugin {
    struct Check: Decodable {
        let check: String
        let level: Int
        let result: String
        let seen: [String]?
        let reason: String?
    }

    private struct Document: Decodable {
        struct Manifest: Decodable {
            let checks: [Check]
        }

        let manifests: [Manifest]
    }

    let status: Int32
    let checks: [Check]
    let error: String

    /// Runs `bgtask plugin check` on the manifest of the first plugin. The other plugins are in the same directory.
    static func check(_ plugins: [TestPlugin], level: Int, _ arguments: [String] = []) async throws -> CheckedPlugin {
        try await ScratchDirectory.with { directory in
            for plugin in plugins {
                try directory.write(try await plugin.libraryBytes(), to: "lib\(plugin.name).so")
                try directory.write(plugin.manifest.utf8, to: "\(plugin.name).yaml")
            }
            let manifest = directory.file("\(plugins[0].name).yaml")
            let run = try await HostSlots.withSlot {
                try await ProgramRun.of(
                    BuiltProgram.command.path(),
                    ["plugin", "check", manifest, "--level", "\(level)", "--json"] + arguments,
                    within: .seconds(120)
                )
            }
            let document = try JSONDecoder().decode(Document.self, from: Data(run.output.utf8))
            return CheckedPlugin(status: run.status, checks: document.manifests[0].checks, error: run.error)
        }
    }

    func names(_ results: String...) -> Set<String> { Set(checks.filter { results.contains($0.result) }.map(\.check)) }

    var failures: Set<String> {
        Set(checks.filter { !["pass", "warn", "skip", "excluded"].contains($0.result) }.map(\.check))
    }

    /// Every result that is neither a pass nor a skip, and the standard error, for the message of a failed test.
    var details: String {
        checks.filter { !["pass", "skip"].contains($0.result) }
            .map { "\($0.check): \($0.result): \($0.seen ?? []) \($0.reason ?? "")" }.joined(separator: "\n") + error
    }
}
