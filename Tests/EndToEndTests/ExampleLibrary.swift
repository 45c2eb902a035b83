// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Synchronization

/// An example library of `Plugins`, built as a vendor would build it.
enum ExampleLibrary {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized.path

    private static let builds = Mutex<[String: Task<[UInt8], any Error>]>([:])

    /// The bytes of an example library, which is built once per test run.
    static func bytes(_ name: String) async throws -> [UInt8] {
        let task = builds.withLock { builds in
            if let task = builds[name] { return task }
            // Shared by all callers, so that the cancellation of one does not cancel it.
            let task = Task {
                try await ScratchDirectory.with { directory in
                    Array(try Data(contentsOf: URL(filePath: try await build(name, in: directory))))
                }
            }
            builds[name] = task
            return task
        }
        return try await task.value
    }

    /// Builds an example library.
    ///
    /// - Returns: the path of the library, inside the directory.
    static func build(_ name: String, in directory: ScratchDirectory) async throws -> String {
        let library = directory.file("lib\(name).so")
        let flags = ["OPTIMIZE=-O1", "OUT=\(directory.path)"]
        let make = try await ProgramRun.of(
            "/usr/bin/make",
            ["-s", "-C", "\(root)/Plugins", library] + flags,
            within: .seconds(300)
        )
        if make.status != 0 { throw HostFailure("make refused:\n\(make.error)") }
        return library
    }

    /// The text of the manifest that is shipped for the example.
    static func manifest(_ identifier: String) throws -> String {
        try String(contentsOfFile: "\(root)/Plugins/manifests/\(identifier).yaml", encoding: .utf8)
    }
}
