// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CSeccomp
import Glibc
package import TaskModel

/// A refused system call, as reported to users.
package struct DeniedCall: Hashable, Sendable {
    /// Calls that one grant would allow. Of the calls that no grant allows, each is a group of its own.
    package enum Group: Hashable, Sendable {
        case network
        /// Sockets of AF_NETLINK. The grant network allows one protocol, and the reported call does not name it.
        case netlink
        case unix
        case processes
        case ungrantable(String)
    }

    /// Maximum number of journaled refusals per launch of calls that no grant allows. Calls that a grant allows have no
    /// maximum, so that a plugin cannot hide their refusal behind others: the first one of each group is journaled, and
    /// there are four such groups.
    package static let mostUngrantableJournaled = 20

    package let group: Group
    /// Name of the call, as `socket(AF_INET)` or `ptrace`; its number when the call has no known name.
    package let name: String

    /// Whether a grant allows the call.
    package var isGrantable: Bool {
        switch group {
        case .network, .netlink, .unix, .processes: true
        case .ungrantable: false
        }
    }

    /// - Parameters:
    ///   - number: the number of the system call on this architecture.
    ///   - arguments: its first two arguments; 0 where they do not decide.
    package init(number: Int32, arguments: (UInt64, UInt64)) {
        let system = Self.systemName(of: number)
        let first = arguments.0
        switch system {
        case "socket":
            name = "socket(\(Self.families[first] ?? "family \(first)"))"
            let isRaw = arguments.1 & 0xf == UInt64(SOCK_RAW.rawValue)
            switch Int32(truncatingIfNeeded: first) {
            case AF_INET where !isRaw, AF_INET6 where !isRaw: group = .network
            case AF_NETLINK: group = .netlink
            case AF_UNIX: group = .unix
            default: group = .ungrantable(name)
            }
        // Refused with a few commands alone.
        case "fcntl":
            let command = arguments.1 & 0xffff_ffff
            name = "fcntl(\(Self.commands[command] ?? "command \(command)"))"
            group = .ungrantable(name)
        // Refused with these bits alone.
        case "fchmod", "creat":
            name = "\(system)\(Self.identityBits)"
            group = .ungrantable(name)
        case "open", "openat":
            name = arguments.1 == 0 ? system : "\(system)\(Self.identityBits)"
            group = .ungrantable(name)
        // Refused with the flag MSG_FASTOPEN alone, which connects to a port.
        case "sendto", "sendmsg", "sendmmsg": (name, group) = ("\(system)(MSG_FASTOPEN)", .network)
        case _ where SystemCalls.network.contains(system):
            (name, group) = (system, .network)
        // A namespace, and a thread with a table of descriptors of its own, are refused with the grant as well.
        case "clone":
            let ungrantable = SystemCallRules.allNamespaces | SystemCallRules.thread
            (name, group) = (system, first & ungrantable == 0 ? .processes : .ungrantable(system))
        // Refused with this flag alone.
        case "close_range":
            name = "close_range(CLOSE_RANGE_UNSHARE)"
            group = .ungrantable(name)
        case _ where SystemCalls.processes.contains(system):
            (name, group) = (system, .processes)
        default: (name, group) = (system, .ungrantable(system))
        }
    }

    /// Message for users: the refused call, the cause of the refusal, and the remedy.
    ///
    /// - Parameter grants: the grants of the plugin, under the limits of the operator.
    package func message(grants: [LimitedGrant]) -> String {
        let refusal = "the system call \(name) was refused with EPERM"
        let needed: (names: Set<LimitedGrant.Name>, purpose: String, grant: String)
        switch group {
        case .network: needed = ([.network, .connect, .listen], "needs the network", "network: true")
        case .unix: needed = ([.unix], "needs a Unix socket", "unix: [PATH]")
        case .processes: needed = ([.processes], "needs to start processes", "processes: true")
        case .netlink:
            let isGranted = grants.contains { $0.name == .network && $0.ports == nil && !$0.isRefused }
            return "\(refusal); of AF_NETLINK, the grant network allows only the protocol NETLINK_ROUTE: "
                + (isGranted
                    ? "the manifest has this grant, so remove this call from the plugin"
                    : "if the plugin needs it, add to its manifest: grants: { network: true }; otherwise remove this call"
                        + " from the plugin")
        case .ungrantable: return "\(refusal); no grant allows this call: remove it from the plugin"
        }
        let present = grants.filter { needed.names.contains($0.name) }
        if let narrowed = present.first(where: { $0.ports != nil && !$0.isRefused }) {
            return "\(refusal); the manifest grants the network, but \(narrowed.narrowings.joined(separator: " and "))"
                + " in the configuration of the host, which opens these TCP ports alone: if the plugin needs more,"
                + " remove the limit and restart the host"
        }
        if group == .network, present.contains(where: { !$0.isRefused }) {
            return "\(refusal); the grants connect and listen open only TCP ports; if the plugin needs more, write in"
                + " its manifest: grants: { network: true }"
        }
        if let lacking = present.lazy.compactMap(\.lackingMechanism).first {
            return "\(refusal); the manifest grants it, but isolation is required, and \(lacking); if the plugin"
                + " \(needed.purpose), use a kernel with this Landlock, or set isolation to best-effort (in a host's"
                + " configuration, and restart the host)"
        }
        if let narrowed = present.first(where: \.isRefused) {
            return "\(refusal); the manifest grants it, but \(narrowed.narrowings.joined(separator: " and ")) in the"
                + " configuration of the host: if the plugin \(needed.purpose), remove the limit and restart the host"
        }
        return "\(refusal); if the plugin \(needed.purpose), add to its manifest: grants: { \(needed.grant) }"
    }

    private static let families: [UInt64: String] = [
        UInt64(AF_UNIX): "AF_UNIX", UInt64(AF_INET): "AF_INET", UInt64(AF_INET6): "AF_INET6",
        UInt64(AF_NETLINK): "AF_NETLINK", UInt64(AF_PACKET): "AF_PACKET",
    ]

    private static let identityBits = "(S_ISUID or S_ISGID)"

    private static let commands: [UInt64: String] = [
        8: "F_SETOWN", 10: "F_SETSIG", 15: "F_SETOWN_EX", 1_024: "F_SETLEASE", 1_026: "F_NOTIFY", 1_040: "F_SETDELEG",
    ]

    private static func systemName(of number: Int32) -> String {
        guard let name = seccomp_syscall_resolve_num_arch(seccomp_arch_native(), number) else {
            return "\(number)"
        }
        defer { free(name) }
        return String(cString: name)
    }
}
