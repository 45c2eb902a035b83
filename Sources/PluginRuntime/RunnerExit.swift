// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Exit codes of a process that ends outside a launch's regular end. A launch that ended in order exits with 0.
enum RunnerExit {
    static let hostIsGone: Int32 = 1
    static let misuse: Int32 = 2
    static let brokenWire: Int32 = 3

    /// Ends the process with a message on stderr. For failures that cannot be reported to the host or the plugin:
    /// stderr is captured with the launch.
    static func end(_ message: String) -> Never {
        say(message)
        _exit(brokenWire)
    }

    static func say(_ message: String) {
        _ = Array("bgtask-runner: \(message)\n".utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
