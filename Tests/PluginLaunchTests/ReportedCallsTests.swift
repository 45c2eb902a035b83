// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CSeccomp
import Glibc
import SandboxPolicy
import Testing

@testable import PluginLaunch

@Suite("The refused system calls of a launch are reported once each, and those that a grant allows in any case")
struct ReportedCallsTests {
    private func socket(_ family: Int32, _ type: UInt64 = 1) -> DeniedCall {
        DeniedCall(number: seccomp_syscall_resolve_name("socket"), arguments: (UInt64(family), type))
    }

    private let clone = seccomp_syscall_resolve_name("clone")

    /// Adds the calls in order, and returns those that are to be reported.
    private func reported(_ calls: [DeniedCall]) -> [DeniedCall] {
        var reported = ReportedCalls()
        return calls.filter { reported.add($0) }
    }

    @Test func `a refused call that a grant allows is reported after any number of refused calls that no grant allows`()
    {
        let ungrantable = (40..<140).map { socket($0) }
        let grantable = [AF_INET, AF_INET6, AF_UNIX, AF_NETLINK].map { socket($0) }
        let calls = reported(ungrantable + grantable)
        #expect(calls == Array(ungrantable.prefix(ReportedCalls.ungrantableLimit)) + grantable)
    }

    @Test func `a refused call is reported once, whatever the arguments that its name leaves out`() {
        let sockets = (0..<16).map { socket(AF_UNIX, $0) }
        let processes = (1...100).map { DeniedCall(number: clone, arguments: ($0, 0)) }
        #expect(reported(sockets + processes).map(\.name) == ["socket(AF_UNIX)", "clone"])
    }
}
