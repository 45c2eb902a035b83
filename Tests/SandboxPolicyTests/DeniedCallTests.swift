// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CSeccomp
import Glibc
import Testing

@testable import SandboxPolicy

@Suite("A refused system call is reported with the grant that allows it")
struct DeniedCallTests {
    private func number(of call: String) -> Int32 { seccomp_syscall_resolve_name(call) }

    private func socket(_ family: Int32, _ type: Int) -> DeniedCall {
        DeniedCall(number: number(of: "socket"), arguments: (UInt64(family), UInt64(type)))
    }

    @Test func `a refused internet socket is reported with the grant network, also with the flag SOCK_CLOEXEC`() {
        for family in [AF_INET, AF_INET6] {
            for type in [SOCK_STREAM, SOCK_DGRAM] {
                let call = socket(family, Int(type.rawValue) | Int(SOCK_CLOEXEC.rawValue))
                #expect(call.group == .network && call.message(grants: []).contains("grants: { network: true }"))
            }
        }
        #expect(socket(AF_INET6, Int(SOCK_STREAM.rawValue)).name == "socket(AF_INET6)")
        #expect(DeniedCall(number: number(of: "connect"), arguments: (0, 0)).group == .network)
    }

    @Test func `refused raw sockets and sockets of other families are reported as allowed by no grant`() {
        #expect(socket(AF_INET, Int(SOCK_RAW.rawValue)).group == .ungrantable("socket(AF_INET)"))
        #expect(socket(77, Int(SOCK_STREAM.rawValue)).name == "socket(family 77)")
        #expect(socket(AF_PACKET, 1).message(grants: []).contains("no grant allows this call"))
        #expect([socket(AF_INET, Int(SOCK_RAW.rawValue)), socket(77, 1)].allSatisfy { !$0.isGrantable })
    }

    @Test func `a refused AF_NETLINK socket is a group of its own, of which the grant network allows one protocol`() {
        let call = socket(AF_NETLINK, Int(SOCK_RAW.rawValue))
        #expect(call.group == .netlink && call.isGrantable)
        #expect(call.message(grants: []).contains("only the protocol NETLINK_ROUTE"))
    }

    @Test func `a refused Unix socket is reported with the grant unix, and TCP Fast Open with the grant network`() {
        let unix = socket(AF_UNIX, Int(SOCK_STREAM.rawValue))
        #expect(unix.group == .unix && unix.message(grants: []).contains("grants: { unix: [PATH] }"))
        let fast = DeniedCall(number: number(of: "sendto"), arguments: (0, 0))
        #expect(fast.group == .network && fast.name == "sendto(MSG_FASTOPEN)")
    }

    @Test
    func `a refused process start is reported with the grant processes, a refused namespace as allowed by no grant`() {
        let newNetwork: UInt64 = 0x4000_0000
        #expect(DeniedCall(number: number(of: "clone"), arguments: (UInt64(SIGCHLD), 0)).group == .processes)
        #expect(DeniedCall(number: number(of: "clone"), arguments: (newNetwork, 0)).group == .ungrantable("clone"))
        let thread: UInt64 = 0x0001_0000
        #expect(DeniedCall(number: number(of: "clone"), arguments: (thread, 0)).group == .ungrantable("clone"))
        let closing = DeniedCall(number: number(of: "close_range"), arguments: (3, 3))
        #expect(closing.group == .ungrantable("close_range(CLOSE_RANGE_UNSHARE)"))
        let execution = DeniedCall(number: number(of: "execve"), arguments: (0, 0))
        #expect(execution.group == .processes)
        #expect(execution.message(grants: []).hasPrefix("the system call execve was refused with EPERM"))
    }

    @Test func `a refused set-user-ID or set-group-ID bit is reported as such, a refused truncation is not`() {
        for call in ["openat", "open"] {
            let bits = DeniedCall(number: number(of: call), arguments: (0, 0o4000))
            #expect(bits.name == "\(call)(S_ISUID or S_ISGID)" && !bits.isGrantable)
            #expect(DeniedCall(number: number(of: call), arguments: (0, 0)).name == call)
        }
        let mode = DeniedCall(number: number(of: "fchmod"), arguments: (0, 0))
        #expect(mode.group == .ungrantable("fchmod(S_ISUID or S_ISGID)"))
    }

    @Test func `each refused call of a group is reported with the grant of the group, or as allowed by no grant`()
        throws
    {
        let filter = FilterProgram(
            try SystemCallRules.filter(
                sockets: .init(internet: .none, unix: false),
                processes: false,
                confinesTruncation: true
            )
        )
        let groups: [(calls: [String], group: (String) -> DeniedCall.Group, remedy: String)] = [
            (SystemCalls.network, { _ in .network }, "grants: { network: true }"),
            (SystemCalls.processes, { _ in .processes }, "grants: { processes: true }"),
            (SystemCalls.refused, { .ungrantable($0) }, "no grant allows this call"),
        ]
        for (calls, group, remedy) in groups {
            // An architecture, or a libseccomp, does not know all of them.
            let known = calls.filter { number(of: $0) >= 0 }
            #expect(known.count > calls.count / 2)
            for name in known {
                let call = DeniedCall(number: number(of: name), arguments: (0, 0))
                #expect(call.group == group(name) && call.message(grants: []).contains(remedy), "\(name): \(call)")
                #expect(try filter.errno(name) == EPERM, "\(name)")
            }
        }
    }

    @Test func `a refused command of fcntl is reported with its name, as allowed by no grant`() {
        let call = DeniedCall(number: number(of: "fcntl"), arguments: (5, 1 << 40 | 1_024))
        #expect(call.name == "fcntl(F_SETLEASE)" && call.group == .ungrantable("fcntl(F_SETLEASE)"))
        #expect(call.message(grants: []).contains("no grant allows this call"))
        #expect(DeniedCall(number: number(of: "fcntl"), arguments: (5, 77)).name == "fcntl(command 77)")
    }

    @Test func `a refused system call without a known name is reported by its number`() {
        #expect(DeniedCall(number: 9_999, arguments: (0, 0)).name == "9999")
    }
}
