// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import LinuxSystem
import TaskModel

/// The process at the other end of a connection, as recorded by the kernel when it connected. Groups come from the
/// kernel and not from the user database, because a process can have groups that no account has.
struct Peer: Sendable {
    let user: UInt32
    let process: Int32
    /// The primary group and all supplementary groups.
    let groups: [UInt32]
    let origin: ProcessOrigin
    /// The peer as the journal records it: user, process and the program that connected.
    let callingUser: CallingUser

    init(user: UInt32, process: Int32, groups: [UInt32], origin: ProcessOrigin) {
        self.user = user
        self.process = process
        self.groups = groups
        self.origin = origin
        callingUser = CallingUser(uid: user, pid: process, command: Self.program(of: process))
    }

    /// Reads the peer of a connected socket; nil when the kernel has no record. It reads a few files of /proc, and
    /// waits for nothing.
    init?(socket: CInt, lineage: ProcessLineage) {
        var credentials = Credentials(process: 0, user: 0, group: 0)
        var length = socklen_t(MemoryLayout<Credentials>.size)
        guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        self.init(
            user: credentials.user,
            process: credentials.process,
            groups: [credentials.group] + Self.otherGroups(socket: socket),
            origin: Self.origin(of: credentials.process, socket: socket, lineage)
        )
    }

    /// The name of a process's program; nil when the process has ended.
    private static func program(of process: Int32) -> String? {
        let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        return name?.trimmingCharacters(in: .whitespacesAndNewlines).terminalSafe
    }

    private static func origin(of process: Int32, socket: CInt, _ lineage: ProcessLineage) -> ProcessOrigin {
        if process <= 0 { return lineage.origin(of: process) }
        let number = bgl_peer_pidfd(socket)
        // Before Linux 6.5 a reused process number is not detected.
        if number == -ENOPROTOOPT { return lineage.origin(of: process) }
        guard number >= 0 else { return .unknown }
        let descriptor = Descriptor(owning: number)
        let origin = lineage.origin(of: process)
        // Until it is reaped, no other process has its number.
        return bgl_pidfd_signal(descriptor.number, 0) == -ESRCH ? .unknown : origin
    }

    private static func otherGroups(socket: CInt) -> [UInt32] {
        // The kernel's maximum number of groups per process is 65,536; most processes have few.
        for capacity in [64, 65_536] {
            var groups = [UInt32](repeating: 0, count: capacity)
            var length = socklen_t(groups.count * MemoryLayout<UInt32>.size)
            if getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, &groups, &length) == 0 {
                return Array(groups.prefix(Int(length) / MemoryLayout<UInt32>.size))
            }
        }
        return []
    }

    /// The C struct `ucred` of the kernel, which Glibc's module does not contain.
    private struct Credentials {
        var process: Int32
        var user: UInt32
        var group: UInt32
    }
}
