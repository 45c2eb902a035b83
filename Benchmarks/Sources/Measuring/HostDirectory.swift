// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// The directory of one host: manifests, libraries, configuration and state.
package struct HostDirectory: Sendable {
    package let path: String

    package var socket: String { path + "/control.sock" }
    package var ledger: String { path + "/state/ledger/ledger.sqlite" }
    package var configuration: String { path + "/bgtaskd.yaml" }

    /// Path of a file in the container of a plugin.
    package func container(_ plugin: String, _ file: String) -> String { "\(path)/state/containers/\(plugin)/\(file)" }

    /// Creates the directory and its configuration file: the paths of the host, and the given lines.
    ///
    /// - Parameters:
    ///   - path: path of the directory, which is removed first; nil for a temporary directory.
    ///   - users: the value of `plugin-users` for a host that runs as root.
    ///   - configuration: lines of the host's configuration file.
    package init(_ path: String? = nil, users: String = "host", configuration lines: [String]) throws {
        self.path = path ?? NSTemporaryDirectory() + "bgtask-bench-\(getpid())"
        remove()
        try FileManager.default.createDirectory(atPath: self.path + "/manifests", withIntermediateDirectories: true)
        let places = [
            "manifests: \(self.path)/manifests", "package-manifests: \(self.path)/none",
            "plugin-directory: \(self.path)/none", "state-directory: \(self.path)/state", "socket: \(socket)",
        ]
        // A host of root refuses to start without a choice.
        let users = geteuid() == 0 ? ["plugin-users: \(users)"] : []
        try write((places + users + lines).joined(separator: "\n") + "\n", to: "bgtaskd.yaml")
    }

    /// Uses a directory that an earlier run created.
    package init(existing path: String) { self.path = path }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }

    package func write(_ text: String, to file: String) throws {
        try text.write(toFile: "\(path)/\(file)", atomically: false, encoding: .utf8)
    }

    /// Copies a library into the directory of the manifests.
    package func install(library: String, as name: String? = nil) throws {
        let name = name ?? (library as NSString).lastPathComponent
        try FileManager.default.copyItem(atPath: library, toPath: "\(path)/manifests/\(name)")
    }

    /// Writes the manifest of a plugin for processing requests, with further lines.
    package func add(_ plugin: String, library: String, _ lines: String...) throws {
        let manifest = """
            manifest: 1
            identifier: \(plugin)
            library: \(library)
            background-modes: [processing]

            """
        try write(manifest + lines.map { $0 + "\n" }.joined(), to: "manifests/\(plugin).yaml")
    }

    /// The rows of an SQL query on the ledger, a line each, with `|` between columns. Called while no host runs.
    package func query(_ sql: String) throws -> String {
        try Programs.output(of: "/usr/bin/sqlite3", [ledger, sql]).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
