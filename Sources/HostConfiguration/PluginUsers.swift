// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The users that run the plugins of a host: the operator's choice, applied to the authority of the host's process.
package enum PluginUsers: Hashable, Sendable {
    /// Each main plugin has a user of its own from this range; its extensions share it.
    case own(UserRange)
    /// All plugins have the host's user; the value is the reason.
    case hostUser(String)

    /// Throws when the choice cannot be applied, or when the host runs as root and the operator has neither reserved
    /// users for plugins nor permitted that plugins run as root. The host must not start then.
    package init(_ choice: PluginUserChoice, _ authority: ProcessAuthority) throws(HostError) {
        switch choice {
        case .host:
            self = .hostUser("plugin-users is host")
        case .range(let range):
            if range.contains(authority.user) {
                throw HostError(
                    code: .configurationInvalid,
                    message: "plugin-users: \(range) contains \(authority.user), the user of the host itself;"
                        + " write a range that no account of this machine uses"
                )
            }
            guard authority.lacking.isEmpty else {
                throw HostError(
                    code: .systemRefused,
                    message: "plugin-users: \(range) needs capabilities that this host lacks:"
                        + " \(authority.lacking.joined(separator: ", ")); start the host with them (in a unit of the"
                        + " system: AmbientCapabilities= and CapabilityBoundingSet=), or write plugin-users: host"
                )
            }
            self = .own(range)
        case .automatic:
            // The range of root is for the containers of other programs. The host must not take their processes for
            // leftover processes of plugins.
            if authority.lacking.isEmpty, !authority.isRoot, let range = authority.reserved {
                self = .own(range)
            } else if authority.isRoot {
                throw HostError(code: .systemRefused, message: Self.rootWithoutUsers(authority))
            } else if authority.lacking.isEmpty {
                self = .hostUser("/etc/subuid and /etc/subgid reserve no common range for \(authority.userName)")
            } else {
                self = .hostUser("the host lacks \(authority.lacking.joined(separator: ", "))")
            }
        }
    }

    package var range: UserRange? {
        if case .own(let range) = self { range } else { nil }
    }

    private static func rootWithoutUsers(_ authority: ProcessAuthority) -> String {
        let cause =
            authority.lacking.isEmpty
            ? "plugin-users is auto, which uses no range of root in /etc/subuid, as those are for containers"
            : "it lacks \(authority.lacking.joined(separator: ", "))"
        let way = authority.lacking.isEmpty ? "write" : "start it with these capabilities and write"
        return "the host runs as root and has no users for its plugins: \(cause); plugins must not run as root;"
            + " start the host as another user, or \(way) a range that no account of this machine uses, such as"
            + " plugin-users: 600000-665535; only where root itself is confined, as in a container of its own, write"
            + " plugin-users: host"
    }
}
