// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// The socket that receives the host's notifications to its service manager (`sd_notify`).
final class NotificationSocket: Sendable {
    /// The lines of all received datagrams.
    let notifications = Tape<String>()
    let path: String
    private static let end = "END"

    init(at path: String) throws {
        self.path = path
        unlink(path)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let status = UnixAddress.with(path) { bind(descriptor, $0, $1) }
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

    /// Ends the stream of notifications after the host has ended, so that no test waits for more.
    func close() {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        UnixAddress.with(path) { _ = sendto(descriptor, Self.end, Self.end.utf8.count, 0, $0, $1) }
        Glibc.close(descriptor)
    }
}
