// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Whether a host uses a state directory, according to the lock in it.
package enum HostPresence: Hashable {
    /// A host holds the lock. The value is the number of its process from the lock file; nil when the file contains
    /// none.
    case running(process: Int32?)
    case stopped
    /// The lock cannot be examined; the value is the error number.
    case unknown(errno: Int32)

    /// Whether a host runs; nil when it is unknown.
    package var isRunning: Bool? {
        switch self {
        case .running: true
        case .stopped: false
        case .unknown: nil
        }
    }

    package init(stateDirectory: String) {
        let descriptor = open(stateDirectory + "/host.lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let error = errno
            self = error == ENOENT || error == ENOTDIR ? .stopped : .unknown(errno: error)
            return
        }
        defer { close(descriptor) }
        // The lock is shared and released at once: checks do not block each other, and a host that starts now retries.
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 {
            flock(descriptor, LOCK_UN)
            self = .stopped
        } else if errno == EWOULDBLOCK {
            var buffer = [UInt8](repeating: 0, count: 32)
            let count = read(descriptor, &buffer, buffer.count)
            let digits = buffer.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
            self = .running(process: Int32(String(decoding: digits, as: UTF8.self)))
        } else {
            self = .unknown(errno: errno)
        }
    }
}
