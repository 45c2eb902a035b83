// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LocatedYAML

/// The group whose members may use the control socket, besides the host's own user and root. Its members are not
/// listed.
package struct SocketGroup: Hashable, Sendable {
    package let name: String
    package let id: UInt32

    /// Looks up the group. When the group does not exist, or the host's own user is neither root nor a member, reports
    /// a problem and returns nil.
    init?(named name: Field<String>, problems: ProblemCollector) {
        guard let id = Self.id(of: name.value) else {
            problems.report(
                .wrongValue,
                at: name,
                "is \"\(name.value)\", which is not a group of this machine",
                remedy: "create it with groupadd, or name one that \"getent group\" shows"
            )
            return nil
        }
        guard getuid() == 0 || getegid() == id || Self.ownGroups.contains(id) else {
            problems.report(
                .wrongValue,
                at: name,
                "is \"\(name.value)\", a group without the host's own user \(NSUserName())",
                remedy:
                    "add it with \"usermod -aG \(name.value) \(NSUserName())\" and log in again,"
                    + " or name a group of that user"
            )
            return nil
        }
        self.name = name.value
        self.id = id
    }

    private static var ownGroups: [gid_t] {
        var groups = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(Int32(groups.count), &groups)
        return Array(groups.prefix(max(0, Int(count))))
    }

    private static func id(of name: String) -> UInt32? {
        var entry = group_entry()
        var buffer = [CChar](repeating: 0, count: 1 << 20)
        var found: UnsafeMutablePointer<group_entry>?
        guard getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return entry.gr_gid
    }

    private typealias group_entry = Foundation.group
}
