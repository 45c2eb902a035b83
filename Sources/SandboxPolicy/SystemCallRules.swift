// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// The rules of the filter: which system calls a plugin may make, with which arguments. A call without a matching rule
/// fails with ENOSYS; a rule that refuses a call only changes this error to EPERM.
enum SystemCallRules {
    private typealias Failure = SystemCallFilter.Failure

    /// The sockets that a filter allows.
    struct Sockets: Hashable, CaseIterable {
        enum Internet: Hashable, CaseIterable {
            case none
            /// TCP sockets that connect, to the ports that Landlock allows.
            case connect
            /// TCP sockets that connect and accept connections, at the ports that Landlock allows.
            case listen
            case all
        }

        let internet: Internet
        let unix: Bool

        static var allCases: [Sockets] {
            Internet.allCases.flatMap { internet in [false, true].map { Sockets(internet: internet, unix: $0) } }
        }

        /// Whether the grants open single TCP ports only, so that no call may bypass Landlock's check of the ports.
        var hasPorts: Bool { internet == .connect || internet == .listen }
    }

    /// The filter of system calls of a launch, as an array of the kernel's `struct sock_filter`.
    ///
    /// - Parameters:
    ///   - sockets: the kinds of sockets that the grants open.
    ///   - processes: whether the grants permit to start processes.
    ///   - confinesTruncation: whether Landlock confines the truncation of files.
    static func filter(
        sockets: Sockets,
        processes: Bool,
        confinesTruncation: Bool
    ) throws(SystemCallFilter.Failure) -> [UInt8] {
        let filter = try SystemCallFilter()
        for call in SystemCalls.allowed where !(sockets.hasPorts && fastOpen.keys.contains(call)) {
            try filter.allow(call)
        }
        for call in SystemCalls.refused { try filter.refuse(call) }
        try addTruncation(to: filter, isConfined: confinesTruncation)
        try addSockets(to: filter, sockets)
        try addProcesses(to: filter, isGranted: processes)
        try addDescriptorTables(to: filter)
        try addLimits(to: filter)
        try addScheduling(to: filter)
        try addProcessControl(to: filter)
        // With a path it would change files that Landlock protects; without one it is futimens.
        try filter.allow("utimensat", where: .init(1, .equal, 0))
        try filter.refuse("utimensat", where: .init(1, .notEqual, 0))
        return FileCallRules.instructions + (try filter.compiled())
    }

    // MARK: Truncation

    /// Adds the rules for truncation. Without Landlock's truncation right, the filter refuses `truncate` by path and
    /// O_TRUNC in an open without write access: the kernel would check only the user's rights to the file.
    private static func addTruncation(
        to filter: borrowing SystemCallFilter,
        isConfined: Bool
    ) throws(SystemCallFilter.Failure) {
        if isConfined {
            for call in SystemCalls.truncating + SystemCalls.opening.map(\.call) { try filter.allow(call) }
            return
        }
        for call in SystemCalls.truncating { try filter.refuse(call) }
        let (truncate, modes) = (UInt64(O_TRUNC), UInt64(O_ACCMODE))
        for (call, flags) in SystemCalls.opening {
            try filter.allow(call, where: .init(flags, .masked(truncate), 0))
            for mode in [UInt64(O_WRONLY), UInt64(O_RDWR)] {
                try filter.allow(call, where: .init(flags, .masked(truncate | modes), truncate | mode))
            }
            try filter.refuse(call, where: .init(flags, .masked(truncate | modes), truncate))
            // The mode 3 opens a file without reading or writing, and truncates it as well.
            try filter.refuse(call, where: .init(flags, .masked(truncate | modes), truncate | modes))
        }
    }

    // MARK: Sockets

    private static let types: UInt64 = 0xf
    private static let route: UInt64 = 0

    private static let tcp: [UInt64] = [0, 6]

    /// Calls that can connect a TCP socket without the check of Landlock (TCP Fast Open), with the argument that has
    /// their flags.
    private static let fastOpen: [String: UInt32] = ["sendto": 3, "sendmsg": 2, "sendmmsg": 3]

    private static func addSockets(
        to filter: borrowing SystemCallFilter,
        _ sockets: Sockets
    ) throws(SystemCallFilter.Failure) {
        // Not datagrams: such a pair can be connected again, to a socket of the host.
        for type in [UInt64(SOCK_STREAM.rawValue), UInt64(SOCK_SEQPACKET.rawValue)] {
            try filter.allow("socketpair", where: .init(0, .equal, UInt64(AF_UNIX)), .init(1, .masked(types), type))
        }
        try filter.refuse("socketpair", where: .init(1, .masked(types), UInt64(SOCK_DGRAM.rawValue)))
        for call in SystemCalls.network {
            let isForClients = call == "connect"
            let isAllowed =
                switch sockets.internet {
                case .none: isForClients && sockets.unix
                case .connect: isForClients
                case .listen, .all: true
                }
            if isAllowed { try filter.allow(call) } else { try filter.refuse(call) }
        }
        if sockets.internet == .none, !sockets.unix { return try filter.refuse("socket") }
        if sockets.hasPorts {
            for (call, flags) in fastOpen {
                let flag: UInt64 = 0x2000_0000
                try filter.allow(call, where: .init(flags, .masked(flag), 0))
                try filter.refuse(call, where: .init(flags, .masked(flag), flag))
            }
        }
        try addInternet(to: filter, sockets)
        let allowed = sockets.unix ? [UInt64(AF_UNIX)] : []
        for type in [SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET] where sockets.unix {
            let type = UInt64(type.rawValue)
            try filter.allow("socket", where: .init(0, .equal, UInt64(AF_UNIX)), .init(1, .masked(types), type))
        }
        let internet = sockets.internet == .none ? [] : [UInt64(AF_INET), UInt64(AF_INET6), UInt64(AF_NETLINK)]
        for family in 0...UInt64(AF_NETLINK) where !(allowed + internet).contains(family) {
            try filter.refuse("socket", where: .init(0, .equal, family))
        }
        try filter.refuse("socket", where: .init(0, .greaterOrEqual, UInt64(AF_NETLINK) + 1))
    }

    private static func addInternet(
        to filter: borrowing SystemCallFilter,
        _ sockets: Sockets
    ) throws(SystemCallFilter.Failure) {
        if sockets.internet == .none { return }
        let (stream, datagram) = (UInt64(SOCK_STREAM.rawValue), UInt64(SOCK_DGRAM.rawValue))
        for family in [AF_INET, AF_INET6].map(UInt64.init) {
            if sockets.hasPorts {
                // Landlock checks the ports of TCP alone, not of MPTCP and SCTP.
                for number in tcp {
                    try filter.allow(
                        "socket",
                        where: .init(0, .equal, family),
                        .init(1, .masked(types), stream),
                        .init(2, .equal, number)
                    )
                }
                for number: UInt64 in [132, 262] {
                    try filter.refuse("socket", where: .init(0, .equal, family), .init(2, .equal, number))
                }
                try filter.refuse("socket", where: .init(0, .equal, family), .init(1, .masked(types), datagram))
            } else {
                for type in [stream, datagram] {
                    try filter.allow("socket", where: .init(0, .equal, family), .init(1, .masked(types), type))
                }
            }
            let raw = UInt64(SOCK_RAW.rawValue)
            try filter.refuse("socket", where: .init(0, .equal, family), .init(1, .masked(types), raw))
        }
        // The C library reads the addresses of this machine through sockets of this protocol.
        try filter.allow("socket", where: .init(0, .equal, UInt64(AF_NETLINK)), .init(2, .equal, route))
        try filter.refuse("socket", where: .init(0, .equal, UInt64(AF_NETLINK)), .init(2, .notEqual, route))
    }

    // MARK: Processes

    static let thread: UInt64 = 0x0001_0000
    private static let sharedDescriptors: UInt64 = 0x0000_0400
    /// The flags of clone that create namespaces: time, mount, control group, host name, IPC, user, process, network.
    private static let namespaces: [UInt64] = [
        0x0000_0080, 0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
    ]

    static let allNamespaces = namespaces.dropFirst().reduce(0, |)

    private static func addProcesses(
        to filter: borrowing SystemCallFilter,
        isGranted: Bool
    ) throws(SystemCallFilter.Failure) {
        for call in SystemCalls.processes {
            if isGranted { try filter.allow(call) } else { try filter.refuse(call) }
        }
        // The low bits of clone's flags are the exit signal, or the time namespace, which clone does not create.
        let foreign = allNamespaces
        if isGranted {
            try filter.allow("clone", where: .init(0, .masked(foreign | thread), 0))
            for namespace in namespaces.dropFirst() {
                try filter.refuse("clone", where: .init(0, .masked(namespace), namespace))
            }
        } else {
            try filter.refuse("clone", where: .init(0, .masked(thread), 0))
        }
        let shared = thread | sharedDescriptors
        try filter.allow("clone", where: .init(0, .masked(foreign | shared), shared))
    }

    /// Refuses a thread a table of descriptors of its own: the limit of descriptors concerns each table, so that every
    /// thread could have as many. No rule allows `unshare`.
    private static func addDescriptorTables(to filter: borrowing SystemCallFilter) throws(SystemCallFilter.Failure) {
        try filter.refuse("clone", where: .init(0, .masked(thread | sharedDescriptors), thread))
        // CLOSE_RANGE_UNSHARE.
        let unshared: UInt64 = 2
        try filter.allow("close_range", where: .init(2, .masked(unshared), 0))
        try filter.refuse("close_range", where: .init(2, .masked(unshared), unshared))
    }

    // MARK: Limits, priorities, properties of the process

    private static func addLimits(to filter: borrowing SystemCallFilter) throws(SystemCallFilter.Failure) {
        // All but RLIMIT_RTTIME, the last one, which is the process mark. The numbers are compared exactly: the kernel
        // ignores their upper half.
        let mark = UInt64(__RLIMIT_RTTIME.rawValue)
        try filter.allow("prlimit64", where: .init(0, .equal, 0), .init(2, .equal, 0))
        try filter.refuse("prlimit64", where: .init(0, .notEqual, 0))
        for resource in 0..<mark {
            try filter.allow(
                "prlimit64",
                where: .init(0, .equal, 0),
                .init(1, .equal, resource),
                .init(2, .notEqual, 0)
            )
            try filter.allow("setrlimit", where: .init(0, .equal, resource))
        }
        try filter.refuse("prlimit64", where: .init(0, .equal, 0), .init(1, .equal, mark), .init(2, .notEqual, 0))
        try filter.refuse("setrlimit", where: .init(0, .equal, mark))
    }

    /// Allows scheduling calls for the calling thread only, because these calls can change every process of the same
    /// user.
    ///
    /// `setpriority` for the calling thread succeeds without effect. libdispatch sets the nice value of each of its
    /// threads to -4 to 10, whatever that of the launch, and reports an error to syslog. Its socket would be journaled
    /// as a refused call, although the plugin did not make it.
    private static func addScheduling(to filter: borrowing SystemCallFilter) throws(SystemCallFilter.Failure) {
        try filter.allow("sched_setaffinity", where: .init(0, .equal, 0))
        try filter.refuse("sched_setaffinity", where: .init(0, .notEqual, 0))
        let process: UInt64 = 0
        try filter.ignore("setpriority", where: .init(0, .equal, process), .init(1, .equal, 0))
        try filter.refuse("setpriority", where: .init(0, .equal, process), .init(1, .notEqual, 0))
        try filter.refuse("setpriority", where: .init(0, .notEqual, process))
        try addDiskPriorities(to: filter)
    }

    /// Allows the lowest best-effort priority, with which a background launch begins, and the idle ones. The kernel
    /// uses the lower 16 bits alone, so that the number with its upper bits is compared.
    private static func addDiskPriorities(to filter: borrowing SystemCallFilter) throws(SystemCallFilter.Failure) {
        let process: UInt64 = 1
        let (lowest, idle): (UInt64, UInt64) = (2 << 13 | 7, 3 << 13)
        let own = [SystemCallFilter.Comparison(0, .equal, process), .init(1, .equal, 0)]
        try filter.allow("ioprio_set", where: own[0], own[1], .init(2, .equal, lowest))
        try filter.allow("ioprio_set", where: own[0], own[1], .init(2, .masked(~7), idle))
        try filter.refuse("ioprio_set", where: own[0], own[1], .init(2, .less, lowest))
        try filter.refuse("ioprio_set", where: own[0], own[1], .init(2, .greaterOrEqual, idle + 8))
        // The numbers between the lowest priority and the idle ones, by their highest set bit below those of the class.
        for bit: UInt64 in 3..<13 {
            let value: UInt64 = 1 << bit
            try filter.refuse("ioprio_set", where: own[0], own[1], .init(2, .masked(~(value - 1)), 2 << 13 | value))
        }
        try filter.refuse("ioprio_set", where: .init(0, .equal, process), .init(1, .notEqual, 0))
        try filter.refuse("ioprio_set", where: .init(0, .notEqual, process))
    }

    private static func addProcessControl(to filter: borrowing SystemCallFilter) throws(SystemCallFilter.Failure) {
        // PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ,
        // PR_SET_TIMERSLACK, PR_GET_TIMERSLACK, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_GET_TID_ADDRESS,
        // PR_SET_THP_DISABLE, PR_GET_THP_DISABLE, PR_SET_MDWE, PR_GET_MDWE, PR_SET_VMA.
        for option: UInt64 in [2, 3, 15, 16, 21, 23, 29, 30, 38, 39, 40, 41, 42, 65, 66, 0x5356_4d41] {
            try filter.allow("prctl", where: .init(0, .masked(0xffff_ffff), option))
        }
        // PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_SECUREBITS,
        // PR_SET_MM, PR_SET_CHILD_SUBREAPER, PR_CAP_AMBIENT, PR_SET_PTRACER.
        for option: UInt64 in [1, 4, 8, 22, 24, 28, 35, 36, 47, 0x5961_6d61] {
            try filter.refuse("prctl", where: .init(0, .masked(0xffff_ffff), option))
        }
        // The present personality, and the usual one.
        for value: UInt64 in [0, 0xffff_ffff] {
            try filter.allow("personality", where: .init(0, .masked(0xffff_ffff), value))
        }
    }
}
