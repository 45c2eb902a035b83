// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem

/// Facts about a state directory from the file system. They contain no verdict.
struct StateDirectoryFacts: Hashable {
    let path: String
    /// The reason why the directory cannot be read; nil when it can.
    let problem: String?
    let owner: UInt32
    let mode: UInt32
    /// Names of the entries of the state directory. `containers` has the names of the entries of its directory of
    /// containers.
    let files: [String]
    /// Names of the files of the ledger.
    let ledgerFiles: [String]
    let containers: [String]

    var isReadable: Bool { problem == nil }

    init(path: String) {
        var status = stat()
        let problem: String? =
            if stat(path, &status) != 0 {
                String(cString: strerror(errno))
            } else if status.st_mode & S_IFMT != S_IFDIR {
                "it is not a directory"
            } else {
                access(path, R_OK | X_OK) == 0 ? nil : String(cString: strerror(errno))
            }
        self.path = path
        self.problem = problem
        owner = status.st_uid
        mode = status.st_mode & 0o7777
        files = problem == nil ? FilePlace.names(in: path) : []
        ledgerFiles = problem == nil ? FilePlace.names(in: path + "/ledger") : []
        containers = problem == nil ? FilePlace.names(in: path + "/containers") : []
    }
}
