// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Foundation

/// Where the runner is when nobody says so: beside the host, as a build leaves it, or where an installation puts it.
package enum RunnerProgram {
    package static let name = "bgtask-runner"

    /// The first that is there; the one beside the host when none is, so that the error names a place to put it.
    package static func path(
        ofHost host: String = ProcessInfo.processInfo.executable,
        exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) -> String {
        let folder = URL(fileURLWithPath: host).deletingLastPathComponent()
        let beside = folder.appendingPathComponent(name).path
        let installed = folder.deletingLastPathComponent().appendingPathComponent("libexec/bgtask/\(name)").path
        return [beside, installed].first(where: exists) ?? beside
    }
}

extension ProcessInfo {
    package var executable: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? arguments[0]
    }
}
