// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostConfiguration
import NIOCore
import TaskModel

/// The rule of access to the control socket. The host's own user, root and the members of the socket group are
/// admitted.
struct Admission: Sendable {
    let ownUser = getuid()
    let group: SocketGroup?

    func admits(_ caller: Caller) -> Bool {
        if caller.user == 0 || caller.user == ownUser { return true }
        return group.map { caller.groups.contains($0.id) } ?? false
    }

    /// The credentials of the process at the other end of a connection, as recorded by the kernel when it connected;
    /// nil when the kernel has no record.
    static func caller(of channel: any Channel) async throws -> Caller? {
        try await channel.eventLoop.submit {
            let caller = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { Caller(socket: $0) }
            return caller ?? nil
        }.get()
    }

    /// The credentials of a calling process. They come from the kernel and not from the user database, because a
    /// process can have groups that no account has.
    struct Caller: Sendable {
        let user: UInt32
        let process: Int32
        /// The primary group and all supplementary groups.
        let groups: [UInt32]

        init?(socket: CInt) {
            var credentials = Credentials(process: 0, user: 0, group: 0)
            var length = socklen_t(MemoryLayout<Credentials>.size)
            guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
            user = credentials.user
            process = credentials.process
            groups = [credentials.group] + Self.otherGroups(socket: socket)
        }

        /// The caller as the journal records it: user, process and program.
        var callingUser: CallingUser {
            let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
            let command = name?.trimmingCharacters(in: .whitespacesAndNewlines).terminalSafe
            return CallingUser(uid: user, pid: process, command: command)
        }

        private static func otherGroups(socket: CInt) -> [UInt32] {
            // The kernel's maximum number of groups per process.
            var groups = [UInt32](repeating: 0, count: 65_536)
            var length = socklen_t(groups.count * MemoryLayout<UInt32>.size)
            guard getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, &groups, &length) == 0 else { return [] }
            return Array(groups.prefix(Int(length) / MemoryLayout<UInt32>.size))
        }

        /// The C struct `ucred` of the kernel, which Glibc's module does not contain.
        private struct Credentials {
            var process: Int32
            var user: UInt32
            var group: UInt32
        }
    }
}
