// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI

/// The groups whose members may use the control socket, by role. Root and the host's own user need no group.
package struct SocketGroups: Hashable, Sendable {
    package var groups: [ControlRole: SocketGroup]

    package init(_ groups: [ControlRole: SocketGroup] = [:]) { self.groups = groups }

    /// The highest role of a process with these groups; nil for none.
    package func role(ofMemberOf ids: [UInt32]) -> ControlRole? {
        groups.filter { ids.contains($0.value.id) }.keys.max()
    }

    /// The only group; nil when there is none, or more than one.
    package var only: SocketGroup? {
        let distinct = Set(groups.values)
        return distinct.count == 1 ? distinct.first : nil
    }

    package var isEmpty: Bool { groups.isEmpty }

    /// The names of the groups, by role.
    package var names: [ControlRole: String] { groups.mapValues(\.name) }
}
