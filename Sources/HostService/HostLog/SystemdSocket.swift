// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Synchronization

/// The socket on which the journal of systemd receives records. Sending never blocks.
final class SystemdSocket: Sendable {
    enum Result {
        case sent
        /// The journal reads too slowly.
        case full
        /// There is no journal at the path, or it refuses the record.
        case unreachable
    }

    private let path: String
    /// Nil before the first record, and after an error of the last one.
    private let connection = Mutex<Descriptor?>(nil)

    init(path: String = "/run/systemd/journal/socket") { self.path = path }

    func send(_ bytes: [UInt8]) -> Result {
        connection.withLock { connection in
            // A second attempt reaches the socket of a journal that was started again.
            for _ in 1...2 {
                if connection == nil {
                    let socket = bgl_datagram_socket(path)
                    if socket < 0 { return .unreachable }
                    connection = Descriptor(owning: socket)
                }
                guard let socket = connection else { return .unreachable }
                switch Self.send(bytes, to: socket) {
                case 0...: return .sent
                case -EAGAIN, -ENOBUFS, -ENOMEM, -EMFILE, -ENFILE: return .full
                default: connection = nil
                }
            }
            return .unreachable
        }
    }

    /// Sends a record as a datagram, or in a sealed file if it is too large for one. Returns 0 or more, or a negative
    /// errno.
    private static func send(_ bytes: [UInt8], to socket: Descriptor) -> Int32 {
        let status = bytes.withUnsafeBytes { bgl_send(socket.number, $0.baseAddress, $0.count) }
        if status != -Int(EMSGSIZE) { return Int32(clamping: status) }
        let file = bytes.withUnsafeBytes { bgl_sealed_file("bgtaskd-log", $0.baseAddress, $0.count) }
        if file < 0 { return file }
        let sealed = Descriptor(owning: file)
        return withExtendedLifetime(sealed) {
            Int32(clamping: bgl_send_with_descriptor(socket.number, "", 0, file))
        }
    }
}
