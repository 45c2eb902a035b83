// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// The candidate paths of `bgtaskd`: beside the running command, so that both are of one build, then in PATH.
package struct HostProgram: Hashable {
    package static let name = "bgtaskd"

    package let candidates: [String]

    package init(executable: String? = ProgramFile.running, environment: [String: String]) {
        var directories: [String] = []
        if let executable, let slash = executable.lastIndex(of: "/") {
            directories.append(String(executable[..<slash]))
        }
        // Relative directories are skipped: they would make the search depend on the caller's working directory.
        let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        directories += path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        var seen: Set<String> = []
        candidates = directories.filter { seen.insert($0).inserted }.map { $0 + "/" + Self.name }
    }

    package func path(isExecutable: (String) -> Bool) -> String? { candidates.first(where: isExecutable) }
}
