// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Foundation

/// A client of the control socket that sends raw bytes and reads only on request.
package final class RawCaller: Sendable {
    private let connection: Int32

    package init(of host: HostFixture, saying text: String = "") throws {
        connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let status = UnixAddress.with(host.socket) { connect(connection, $0, $1) }
        guard connection >= 0, status == 0 else {
            throw HostFailure("cannot connect: \(String(cString: strerror(errno)))")
        }
        try say(Array(text.utf8))
    }

    package func say(_ bytes: [UInt8]) throws {
        let sent = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if sent != bytes.count { throw HostFailure("the host took \(sent) of \(bytes.count) bytes") }
    }

    /// Reads all bytes from the host until it closes the connection, and returns them as text.
    package func answer() -> String {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count <= 0 { return String(decoding: answer, as: UTF8.self) }
            answer += buffer[..<count]
        }
    }

    /// Reads the bytes that the host sends first, and returns them as text; empty when it closes the connection.
    package func beginning() -> String {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &buffer, buffer.count, 0)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }

    /// Waits until the host has sent bytes to one of the callers or closed its connection, and returns the caller's
    /// index; nil after ten minutes, or if the wait fails.
    package static func firstAnswered(among callers: [RawCaller]) -> Int? {
        var places = callers.map { pollfd(fd: $0.connection, events: Int16(POLLIN), revents: 0) }
        guard poll(&places, nfds_t(places.count), 600_000) > 0 else { return nil }
        return places.firstIndex { $0.revents != 0 }
    }

    deinit { close(connection) }
}

/// Converts the path of a Unix socket to its C form.
package enum UnixAddress {
    package static func with<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
