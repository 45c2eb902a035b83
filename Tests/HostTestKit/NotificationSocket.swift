// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// The socket on which a service manager would be told how the host fares (`sd_notify`).
final class NotificationSocket: Sendable {
    /// Each datagram, line by line.
    let notifications = Tape<String>()
    let path: String
    private static let end = "END"

    init(at path: String) throws {
        self.path = path
        unlink(path)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let status = Self.withAddress(path) { bind(descriptor, $0, $1) }
        guard descriptor >= 0, status == 0 else { throw HostFailure("no socket at \(path)") }
        let notifications = notifications
        let thread = Thread {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                let text = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
                guard count > 0, text != Self.end else { break }
                for line in text.split(separator: "\n") { notifications.append(String(line)) }
            }
            Glibc.close(descriptor)
            notifications.finish()
        }
        thread.name = "notifications"
        thread.start()
    }

    /// The host has ended: whoever waits for its word waits no more.
    func close() {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        Self.withAddress(path) { _ = sendto(descriptor, Self.end, Self.end.utf8.count, 0, $0, $1) }
        Glibc.close(descriptor)
    }

    private static func withAddress<Result>(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
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
