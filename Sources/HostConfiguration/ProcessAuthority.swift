// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
package import TaskModel

/// The authority of a host's process over users: its own user, its capabilities, and the range of users that the
/// machine reserves for it.
package struct ProcessAuthority: Hashable, Sendable {
    /// A capability that a host needs to give users to plugins: to change user and group, to kill their processes, and
    /// to create, change owner of, read and delete their containers.
    package enum Capability: Int, CaseIterable, Sendable {
        case chown = 0
        case dacOverride = 1
        case fowner = 3
        case kill = 5
        case setgid = 6
        case setuid = 7

        package var name: String {
            switch self {
            case .chown: "CAP_CHOWN"
            case .dacOverride: "CAP_DAC_OVERRIDE"
            case .fowner: "CAP_FOWNER"
            case .kill: "CAP_KILL"
            case .setgid: "CAP_SETGID"
            case .setuid: "CAP_SETUID"
            }
        }
    }

    package let user: UInt32
    /// The name of the account of the user; its number when no account has it.
    package let userName: String
    package let capabilities: Set<Capability>
    /// The range of the user in `/etc/subuid`, if `/etc/subgid` reserves the same numbers; nil without such a range.
    package let reserved: UserRange?

    package init(user: UInt32, userName: String, capabilities: Set<Capability>, reserved: UserRange?) {
        self.user = user
        self.userName = userName
        self.capabilities = capabilities
        self.reserved = reserved
    }

    package var isRoot: Bool { user == 0 }
    /// The names of the capabilities that the process lacks to give users to plugins.
    package var lacking: [String] {
        Capability.allCases.filter { !capabilities.contains($0) }.map(\.name)
    }

    /// The authority of this process.
    package static func ofThisProcess() -> ProcessAuthority {
        let user = geteuid()
        let name = Account.name(of: user)
        let users = ranges(of: user, named: name, in: FileBytes.text("/etc/subuid") ?? "")
        let groups = ranges(of: user, named: name, in: FileBytes.text("/etc/subgid") ?? "")
        return ProcessAuthority(
            user: user,
            userName: name,
            capabilities: capabilities(inStatus: FileBytes.text("/proc/self/status") ?? ""),
            reserved: users.first { range in groups.contains { $0.contains(range) } }
        )
    }

    /// The effective capabilities in the contents of `/proc/PID/status`.
    package static func capabilities(inStatus status: String) -> Set<Capability> {
        let mask = effective(inStatus: status)
        return Set(Capability.allCases.filter { mask >> UInt64($0.rawValue) & 1 == 1 })
    }

    /// Whether the contents of `/proc/PID/status` are those of a process with `CAP_SYS_PTRACE`. Such a process may read
    /// the counters of other users' processes. A host needs the capability only to read how many bytes the processes of
    /// plugins have written.
    package static func tracesOthers(inStatus status: String) -> Bool { effective(inStatus: status) >> 19 & 1 == 1 }

    private static func effective(inStatus status: String) -> UInt64 {
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        return line.flatMap { UInt64($0.dropFirst("CapEff:".count).filter(\.isHexDigit), radix: 16) } ?? 0
    }

    /// The ranges of a user in the contents of `/etc/subuid` or `/etc/subgid`, with lines like `bgtask:600000:65536`.
    package static func ranges(of user: UInt32, named name: String, in text: String) -> [UserRange] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 3, fields[0] == name || fields[0] == "\(user)", let first = UInt32(fields[1]),
                let count = UInt32(fields[2]), count > 0
            else { return nil }
            let (last, overflow) = first.addingReportingOverflow(count - 1)
            return overflow ? nil : UserRange(first: first, last: last)
        }
    }
}
