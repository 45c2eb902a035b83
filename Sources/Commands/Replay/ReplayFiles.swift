// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LocatedYAML

extension ReplayCommand {
    /// The value of a decoded file. When the file has errors, prints all of them but the last, and throws a failure
    /// with the last one.
    static func value<Value>(of document: DecodedDocument<Value>) throws -> Value {
        if let value = document.value, document.errors.isEmpty { return value }
        let problems = document.errors.map(\.description)
        for problem in problems.dropLast() { CommandContext.current.writeMessage(problem) }
        throw CommandFailure(.refused, problems.last ?? "the file is empty")
    }
}

/// Writes a drawing to a file. An existing file is replaced.
enum DrawingFile {
    static func write(_ text: String, to path: String) throws {
        guard let file = fopen(path, "w") else { throw failure(path, errno) }
        let bytes = Array(text.utf8)
        let written = fwrite(bytes, 1, bytes.count, file)
        // Closing the file can change errno.
        let error = errno
        let isClosed = fclose(file) == 0
        if written != bytes.count { throw failure(path, error) }
        if !isClosed { throw failure(path, errno) }
    }

    private static func failure(_ path: String, _ error: Int32) -> CommandFailure {
        let cause = String(cString: strerror(error))
        return CommandFailure(.refused, "\(path) cannot be written: \(cause)", remedy: "give another path with --svg")
    }
}
