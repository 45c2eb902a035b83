// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Files that a target of the Makefile, such as `make prometheus`, places into the build directory before the tests.
package enum PreparedFile {
    /// The path of a file in the build directory; nil when it does not exist.
    package static func path(_ name: String) -> String? {
        guard let products = try? BuiltProgram.directory() else { return nil }
        // The build directory has one directory for each architecture, with one for each configuration.
        let path = URL(filePath: products).appending(path: "../../\(name)").standardized.path
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// The path of the only file with a name in the directories of architectures below a directory; nil without one.
    package static func library(_ name: String, in directory: String) -> String? {
        guard let libraries = path(directory) else { return nil }
        let places = (try? FileManager.default.contentsOfDirectory(atPath: libraries)) ?? []
        return places.map { "\(libraries)/\($0)/\(name)" }.first { FileManager.default.fileExists(atPath: $0) }
    }
}
