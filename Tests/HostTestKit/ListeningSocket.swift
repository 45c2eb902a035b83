// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// A Unix socket on which this process listens without accepting connections.
package final class ListeningSocket: @unchecked Sendable {
    private let listener: Int32
    package var descriptor: Int32 { listener }
    private var callers: [Int32] = []

    /// Binds and listens.
    ///
    /// - Parameter queue: the backlog of `listen`. The kernel keeps one connection more than this number waiting.
    package init(at path: String, queue: Int32 = 1) throws {
        listener = Self.make()
        let status = UnixAddress.with(path) { bind(listener, $0, $1) }
        guard listener >= 0, status == 0, listen(listener, queue) == 0 else {
            throw HostFailure("cannot listen on \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// Connects clients until the kernel's queue of connections is full.
    package func fill(at path: String) throws {
        for _ in 0..<64 {
            let caller = Self.make()
            callers.append(caller)
            if UnixAddress.with(path, { connect(caller, $0, $1) }) == 0 { continue }
            if errno == EAGAIN { return }
            throw HostFailure("cannot connect to \(path): \(String(cString: strerror(errno)))")
        }
        throw HostFailure("the queue of \(path) does not become full")
    }

    private static func make() -> Int32 {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        return socket(AF_UNIX, Int32(kind), 0)
    }

    deinit { for descriptor in callers + [listener] { close(descriptor) } }
}
