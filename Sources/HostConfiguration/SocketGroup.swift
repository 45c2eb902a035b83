// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LocatedYAML
import TaskModel

/// A group whose members may use the control socket: name and number, without a list of the members.
package struct SocketGroup: Hashable, Sendable {
    package let name: String
    package let id: UInt32

    package init(name: String, id: UInt32) {
        self.name = name
        self.id = id
    }

    /// Looks up the group; returns nil after it has reported that the group does not exist.
    init?(named name: Field<String>, problems: ProblemCollector) {
        guard let id = Self.id(of: name.value) else {
            problems.report(
                .wrongValue,
                at: name,
                "is \(name.value.inQuotes), which is not a group of this machine",
                remedy: "create it with groupadd, or name one that \"getent group\" shows"
            )
            return nil
        }
        self.init(name: name.value, id: id)
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
