// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Standard error, for messages of the program.
enum StandardError {
    /// Writes a message with the name of the program.
    static func write(_ message: String) { writeLine("bgtask-feeder: \(message)") }

    static func writeLine(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
