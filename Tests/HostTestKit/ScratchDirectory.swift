// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// A directory for one test with a short path, because the path of a socket may have only 107 bytes.
package struct ScratchDirectory: Sendable {
    package let path: String

    package static func with<Result>(_ body: (ScratchDirectory) async throws -> Result) async throws -> Result {
        let directory = try ScratchDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory.path) }
        return try await body(directory)
    }

    private init() throws {
        var template = Array("/tmp/bgt-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw HostFailure("cannot make a directory in /tmp") }
        path = String(cString: made)
        // The users of plugins pass through it to their containers and libraries.
        chmod(path, 0o711)
    }

    package func file(_ name: String) -> String { path + "/" + name }

    package func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
    }

    /// Writes a file atomically, as package managers do, so that no reader sees a partial file. Returns its path.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let new = file(".new-\(UInt64.random(in: 0...UInt64.max))")
        try Data(bytes).write(to: URL(filePath: new))
        guard rename(new, file(name)) == 0 else {
            throw HostFailure("cannot put \(file(name)) in place: \(String(cString: strerror(errno)))")
        }
        return file(name)
    }

    /// Makes a user the owner of the directory and of everything in it.
    package func give(to user: UInt32) throws {
        for file in try [path] + FileManager.default.subpathsOfDirectory(atPath: path).map(file) {
            guard lchown(file, user, user) == 0 else {
                throw HostFailure("cannot change the owner of \(file): \(String(cString: strerror(errno)))")
            }
        }
    }

    package func text(of name: String) -> String? { try? String(contentsOfFile: file(name), encoding: .utf8) }

    package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: file(name)) }
}
