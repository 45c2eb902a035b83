// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Standard error, for messages of the program.
enum StandardError {
    static func write(_ message: String) {
        let bytes = Array("bgtask-feeder: \(message)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
