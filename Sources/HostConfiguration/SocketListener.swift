// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// The process that listens on a Unix socket, according to the kernel. The query sends no data and does not block.
package enum SocketListener: Hashable, Sendable {
    /// There is no socket, or it was left behind by an ended process.
    case noProcess
    /// A process listens. The number is that of the process that called `listen`; nil when the kernel does not report
    /// it.
    case process(Int32?)
    /// No host listens, but the service manager keeps the socket open and starts a host for the next caller.
    case serviceManager
    /// A process listens, but its connection queue is full. The kernel identifies a listener only after a connection.
    case crowded
    /// It is unknown whether a process listens: the kernel refused the test connection to this user, or the test
    /// failed.
    case unknown(errno: Int32)

    package init(at path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // No socket can have a path of this length.
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            self = .noProcess
            return
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // Without SOCK_NONBLOCK, `connect` would block on a full queue.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else {
            self = .unknown(errno: errno)
            return
        }
        defer { close(descriptor) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                connect(descriptor, target, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            self = Self(refusal: errno)
            return
        }
        let process = Self.process(behind: descriptor)
        self = process.map(Self.isHost) == false ? .serviceManager : .process(process)
    }

    private init(refusal: Int32) {
        switch refusal {
        case EAGAIN: self = .crowded
        case ENOENT, ENOTDIR, ECONNREFUSED: self = .noProcess
        default: self = .unknown(errno: refusal)
        }
    }

    private static func process(behind descriptor: CInt) -> Int32? {
        // The kernel's `struct ucred`: process, user and group.
        var credentials: [Int32] = [0, 0, 0]
        var length = socklen_t(credentials.count * MemoryLayout<Int32>.size)
        let status = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
        return status == 0 && credentials[0] > 0 ? credentials[0] : nil
    }

    /// Whether the listening process may be a host: false for an ended process and for systemd. systemd keeps the
    /// socket of a socket-activated host open after the host has ended.
    private static func isHost(_ process: Int32) -> Bool {
        if kill(process, 0) != 0, errno == ESRCH { return false }
        var name = [UInt8](repeating: 0, count: 32)
        let file = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let count = read(file, &name, name.count)
        return String(decoding: name.prefix(max(0, count)), as: UTF8.self) != "systemd\n"
    }

    /// Whether a process is known to listen.
    package var hasListener: Bool {
        switch self {
        case .process, .serviceManager, .crowded: true
        case .noProcess, .unknown: false
        }
    }

    package var process: Int32? {
        if case .process(let process) = self { process } else { nil }
    }
}
