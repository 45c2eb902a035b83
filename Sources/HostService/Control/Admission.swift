// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import NIOCore

/// Who may give orders on the control socket: the host's own user, root, and the members of one group.
struct Admission: Sendable {
    let ownUser: UInt32
    let group: gid_t?

    /// - Parameter group: the configured group's name; nil admits no group.
    init(group name: String?) throws(HostError) {
        ownUser = getuid()
        guard let name else {
            group = nil
            return
        }
        guard let id = Self.groupID(name) else {
            throw HostError(
                code: .configurationInvalid,
                message: "socket-group names \(name), which is no group of this machine; create it or remove the key"
            )
        }
        guard ownUser == 0 || getgid() == id || Self.ownGroups.contains(id) else {
            throw HostError(
                code: .configurationInvalid,
                message: "socket-group names \(name), which the host's own user is not in; add it to the group,"
                    + " or run the host as root"
            )
        }
        group = id
    }

    private static var ownGroups: [gid_t] {
        var groups = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(Int32(groups.count), &groups)
        return Array(groups.prefix(max(0, Int(count))))
    }

    func admits(user: uid_t, primaryGroup: gid_t) -> Bool {
        if user == 0 || user == ownUser { return true }
        guard let group else { return false }
        return primaryGroup == group || Self.groups(of: user, primary: primaryGroup).contains(group)
    }

    /// The other end of a connection, as the kernel saw it when it connected.
    static func peer(of channel: any Channel) async throws -> PeerCredentials? {
        guard let provider = channel as? any SocketOptionProvider else { return nil }
        return try await provider.unsafeGetSocketOption(
            level: .init(rawValue: SOL_SOCKET),
            name: .init(rawValue: SO_PEERCRED)
        ).get()
    }

    /// The kernel's `struct ucred`, which Glibc's module leaves out.
    struct PeerCredentials {
        let process: Int32
        let user: UInt32
        let group: UInt32
    }

    private static func groupID(_ name: String) -> gid_t? {
        var entry = group_entry()
        var buffer = [CChar](repeating: 0, count: 16_384)
        var found: UnsafeMutablePointer<group_entry>?
        guard getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return entry.gr_gid
    }

    private typealias group_entry = Foundation.group

    private static func groups(of user: uid_t, primary: gid_t) -> [gid_t] {
        var entry = passwd()
        var buffer = [CChar](repeating: 0, count: 16_384)
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return [] }
        var groups = [gid_t](repeating: 0, count: 1_024)
        var count = Int32(groups.count)
        guard getgrouplist(entry.pw_name, primary, &groups, &count) >= 0 else { return [] }
        return Array(groups.prefix(Int(count)))
    }
}
