// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem
internal import PluginBinary
package import TaskModel

/// The library that performs the transfers of all plugins, a part of the host's installation.
package enum TransferLibrary {
    package static let name = "libbgtask-transfer.so"

    /// The places of the library, in the order of the search: beside the runner, as installed, and in the directory of
    /// plugins of a build.
    package static func places(besideRunner runner: String) -> [String] {
        let directory = runner.lastIndex(of: "/").map { String(runner[..<$0]) } ?? "."
        return [
            "\(directory)/\(name)", "\(directory)/../plugins/\(name)", "\(directory)/../../plugins/\(name)",
        ]
    }

    /// The library as examined, or the reason why this host has none.
    package static func find(besideRunner runner: String) -> Result<LibraryFile, TransferLibraryProblem> {
        let places = places(besideRunner: runner)
        guard let path = places.first(where: { access($0, F_OK) == 0 }) else {
            return .failure(TransferLibraryProblem(message: "\(places[0]) is missing"))
        }
        return examine(resolved(path) ?? path)
    }

    /// The path without symbolic links and dots, which the runner compares with the file that it opens.
    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func examine(_ path: String) -> Result<LibraryFile, TransferLibraryProblem> {
        let examined = ExaminedLibrary.examine(path: path, for: .entry) {
            descriptor,
            _ throws(PluginBinaryProblem) in
            try LibraryDigest.of(descriptor: descriptor, path: path)
        }
        switch examined {
        case .accepted(let file): return .success(file)
        case .refused(let problems, _):
            let problem = problems.first.map { "\($0)" } ?? "it is refused"
            return .failure(TransferLibraryProblem(message: "\(path) is not usable: \(problem)"))
        case .changing: return .failure(TransferLibraryProblem(message: "\(path) was written while the host started"))
        }
    }
}

/// The reason why a host performs no transfers.
package struct TransferLibraryProblem: Error, Hashable, Sendable {
    package let message: String
}
