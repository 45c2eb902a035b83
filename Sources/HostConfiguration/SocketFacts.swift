// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem

/// Owner, group and listener of a control socket, according to the file system and the kernel. No data is sent to a
/// host.
package struct SocketFacts: Hashable, Sendable {
    /// Account that owns the socket; nil when the file cannot be examined.
    package var owner: String?
    /// Group whose members may use the socket; nil when the group has no access, or the file cannot be examined.
    package var group: String?
    package var listener: SocketListener

    package init(owner: String? = nil, group: String? = nil, listener: SocketListener = .noProcess) {
        self.owner = owner
        self.group = group
        self.listener = listener
    }

    package static func of(socketAt path: String) -> SocketFacts {
        var facts = SocketFacts(listener: SocketListener(at: path))
        var status = stat()
        guard stat(path, &status) == 0 else { return facts }
        facts.owner = Account.name(of: status.st_uid)
        if status.st_mode & S_IWGRP != 0 {
            facts.group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(status.st_gid)"
        }
        return facts
    }
}
