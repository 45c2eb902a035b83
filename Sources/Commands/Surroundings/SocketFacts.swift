// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// What the file system and the kernel tell of a control socket: whose it is, and who listens. Asks no host anything.
package struct SocketFacts: Hashable, Sendable {
    /// The owner's account; nil when nobody may see it.
    package var owner: String?
    /// The group whose members may use it; nil when there is none.
    package var group: String?
    /// The process that listens; nil when there is none, or when it takes no connection.
    package var process: Int32?

    package init(owner: String? = nil, group: String? = nil, process: Int32? = nil) {
        self.owner = owner
        self.group = group
        self.process = process
    }

    static func of(socketAt path: String) -> SocketFacts {
        var facts = SocketFacts(process: listener(at: path))
        var status = stat()
        guard stat(path, &status) == 0 else { return facts }
        facts.owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(status.st_uid)"
        if status.st_mode & S_IWGRP != 0 {
            facts.group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(status.st_gid)"
        }
        return facts
    }

    /// The process as it was when it began to listen; the kernel remembers.
    private static func listener(at path: String) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                connect(descriptor, target, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        // The kernel's `struct ucred`: process, user and group.
        var credentials: [Int32] = [0, 0, 0]
        var length = socklen_t(credentials.count * MemoryLayout<Int32>.size)
        guard isConnected, getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else {
            return nil
        }
        return credentials[0] > 0 ? credentials[0] : nil
    }
}
