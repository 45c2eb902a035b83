// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit

/// An example library of `Plugins`, built as a vendor would build it.
enum ExampleLibrary {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized.path

    static func bytes(_ name: String) async throws -> [UInt8] {
        try await ScratchFolder.with { folder in
            Array(try Data(contentsOf: URL(filePath: try await build(name, in: folder))))
        }
    }

    /// Builds an example library.
    ///
    /// - Returns: the path of the library, inside the directory.
    static func build(_ name: String, in folder: ScratchFolder) async throws -> String {
        let library = folder.file("lib\(name).so")
        let flags = ["OPTIMIZE=-O1", "OUT=\(folder.path)"]
        let make = try await ProgramRun.of("/usr/bin/make", ["-s", "-C", "\(root)/Plugins", library] + flags)
        if make.status != 0 { throw HostFailure("make refused:\n\(make.error)") }
        return library
    }

    /// The text of the manifest that is shipped for the example.
    static func manifest(_ identifier: String) throws -> String {
        try String(contentsOfFile: "\(root)/Plugins/manifests/\(identifier).yaml", encoding: .utf8)
    }
}
