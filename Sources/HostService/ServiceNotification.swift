// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Reports the state of the host to the service manager (`sd_notify`). Does nothing without `NOTIFY_SOCKET`.
enum ServiceNotification {
    static func ready() { send("READY=1\nSTATUS=Serving") }
    static func stopping() { send("STOPPING=1\nSTATUS=Stopping") }

    private static func send(_ state: String) {
        guard let name = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"], !name.isEmpty else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // An abstract name is written with an @ and begins with a zero byte.
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                _ = sendto(descriptor, state, state.utf8.count, Int32(MSG_NOSIGNAL), target, length)
            }
        }
    }
}
