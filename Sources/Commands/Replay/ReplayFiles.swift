// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LocatedYAML

extension ReplayCommand {
    /// Everything that is wrong with a file is told at once.
    static func value<Value>(of document: DecodedDocument<Value>) throws -> Value {
        if let value = document.value, document.errors.isEmpty { return value }
        let problems = document.errors.map(\.description)
        for problem in problems.dropLast() { Surroundings.current.talk(problem) }
        throw CommandFailure(.refused, problems.last ?? "the file is empty")
    }
}

/// Where a drawing goes. Whatever stands there is replaced.
enum DrawingFile {
    static func write(_ text: String, to path: String) throws {
        guard let file = fopen(path, "w") else { throw failure(path) }
        let bytes = Array(text.utf8)
        let written = fwrite(bytes, 1, bytes.count, file)
        let isClosed = fclose(file) == 0
        if written != bytes.count || !isClosed { throw failure(path) }
    }

    private static func failure(_ path: String) -> CommandFailure {
        let cause = String(cString: strerror(errno))
        return CommandFailure(.refused, "\(path) cannot be written: \(cause)", remedy: "give --svg another place")
    }
}
