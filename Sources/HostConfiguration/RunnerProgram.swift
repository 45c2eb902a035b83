// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Foundation

/// The default path of the runner: beside the host's binary, as in a build directory, or in `libexec/bgtask`, as
/// installed.
package enum RunnerProgram {
    package static let name = "bgtask-runner"

    /// The default path of the runner: beside the host, or, if no file exists there, in `libexec/bgtask` beside the
    /// host's directory. When neither file exists, the path beside the host, so that the error message names a possible
    /// place.
    package static func path(
        ofHost host: String = ProcessInfo.processInfo.executable,
        exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) -> String {
        let directory = URL(fileURLWithPath: host).deletingLastPathComponent()
        let beside = directory.appendingPathComponent(name).path
        let installed = directory.deletingLastPathComponent().appendingPathComponent("libexec/bgtask/\(name)").path
        return [beside, installed].first(where: exists) ?? beside
    }
}

extension ProcessInfo {
    package var executable: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? arguments[0]
    }
}
