// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit

/// An example library of `Plugins`, built as a vendor would build it.
enum ExampleLibrary {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized.path

    static func bytes(_ name: String) async throws -> [UInt8] {
        try await ScratchDirectory.with { directory in
            Array(try Data(contentsOf: URL(filePath: try await build(name, in: directory))))
        }
    }

    /// Builds an example library.
    ///
    /// - Returns: the path of the library, inside the directory.
    static func build(_ name: String, in directory: ScratchDirectory) async throws -> String {
        let library = directory.file("lib\(name).so")
        let flags = ["OPTIMIZE=-O1", "OUT=\(directory.path)"]
        let make = try await ProgramRun.of("/usr/bin/make", ["-s", "-C", "\(root)/Plugins", library] + flags)
        if make.status != 0 { throw HostFailure("make refused:\n\(make.error)") }
        return library
    }

    /// The text of the manifest that is shipped for the example.
    static func manifest(_ identifier: String) throws -> String {
        try String(contentsOfFile: "\(root)/Plugins/manifests/\(identifier).yaml", encoding: .utf8)
    }
}
