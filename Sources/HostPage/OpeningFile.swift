// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem

/// A file that leads a browser to the page with its token. Only its owner may read it. The command line of a browser is
/// public on this machine, so that it has only the path of the file.
package enum OpeningFile {
    /// Runs `body` with the path of a new file, which is deleted when it returns.
    ///
    /// - Parameter parent: the directory in which the file gets a directory of its own.
    package static func with(_ address: String, in parent: String, _ body: (String) async throws -> Void) async throws {
        try await withDirectory(in: parent) { directory in
            let path = directory + "/open.html"
            defer { unlink(path) }
            try write(text(address), to: path)
            try await body(path)
        }
    }

    /// Runs `body` with the path of a new directory of the mode 0700, which is deleted when it returns. `body` deletes
    /// its files.
    package static func withDirectory(in parent: String, _ body: (String) async throws -> Void) async throws {
        let directory = try makeDirectory(in: parent)
        defer { rmdir(directory) }
        try await body(directory)
    }

    /// Creates a directory of the mode 0700.
    private static func makeDirectory(in parent: String) throws(SystemError) -> String {
        var template = Array("\(parent)/bgtask-page-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw SystemError(number: errno, attempt: "make a directory in \(parent)")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func write(_ text: String, to path: String) throws(SystemError) {
        let file = Descriptor(owning: open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
        guard file.number >= 0 else { throw SystemError(number: errno, attempt: "write \(path)") }
        try FileBytes.write(Array(text.utf8)[...], to: file.number, for: "write \(path)")
    }

    static func text(_ address: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="referrer" content="no-referrer">
        <meta http-equiv="refresh" content="0; url=\(address)">
        <title>bgtask</title>
        <p><a href="\(address)">Open the page</a></p>
        </html>

        """
    }
}
