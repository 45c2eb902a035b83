// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// The ends of this process that are not the launch's own. A launch that ended in order leaves with 0.
enum RunnerExit {
    static let hostIsGone: Int32 = 1
    static let misuse: Int32 = 2
    static let brokenWire: Int32 = 3

    /// For what neither host nor plugin could be told otherwise: stderr is captured with the launch.
    static func end(_ message: String) -> Never {
        say(message)
        _exit(brokenWire)
    }

    static func say(_ message: String) {
        _ = Array("bgtask-runner: \(message)\n".utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
