// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Glibc
import HostConfiguration
import Testing

@testable import Commands

@Suite("The user's host comes first, and a wish before that")
struct HostChoiceTests {
    private let user = HostPaths.user(environment: ["XDG_RUNTIME_DIR": "/run/user/1"])
    private let userSocket = "/run/user/1/bgtask/control.sock"
    private let systemSocket = "/run/bgtask/control.sock"

    private func choose(_ wish: HostChoice.Wish, existing: Set<String>) -> HostChoice {
        HostChoice(wish, user: user, isRoot: false, fileExists: existing.contains)
    }

    @Test func `root's --user is root's own host, and the hint says where that is and what else there is`() {
        let user = HostPaths.user(environment: ["HOME": "/root"])
        let choice = HostChoice(.user, user: user, isRoot: true, fileExists: { _ in false })
        #expect(choice.socket == "/root/.local/state/bgtask/control.sock")
        for part in ["root's own host", "--socket", "--system", "bgtask host run --user"] {
            #expect(choice.startHint.contains(part))
        }
        let any = HostChoice(.whicheverIsThere, user: user, isRoot: true, fileExists: { _ in false })
        #expect(any.startHint.contains("bgtask host run --user") && !any.startHint.contains("sudo"))
    }

    @Test func `without a wish it is the user's host if its socket is there`() {
        #expect(choose(.whicheverIsThere, existing: [userSocket, systemSocket]).socket == userSocket)
        #expect(choose(.whicheverIsThere, existing: [userSocket]).socket == userSocket)
    }

    @Test func `without a wish and a user's socket it is the system's`() {
        #expect(choose(.whicheverIsThere, existing: [systemSocket]).socket == systemSocket)
        #expect(choose(.whicheverIsThere, existing: []).socket == systemSocket)
    }

    @Test func `a wish holds whatever is there`() {
        #expect(choose(.system, existing: [userSocket]).socket == systemSocket)
        #expect(choose(.user, existing: [systemSocket]).socket == userSocket)
        #expect(choose(.socket("/tmp/s"), existing: [userSocket, systemSocket]).socket == "/tmp/s")
    }

    @Test func `each hint starts the host that was asked for`() {
        #expect(choose(.system, existing: []).startHint.contains("sudo bgtask host run --system"))
        #expect(choose(.user, existing: []).startHint.contains("bgtask host run"))
        #expect(choose(.socket("/tmp/s"), existing: []).startHint.contains("bgtask host run --socket /tmp/s"))
        #expect(choose(.whicheverIsThere, existing: []).startHint.contains(userSocket))
    }
}

@Suite("Who gets no answer is told what to do about it")
struct UnreachableAdviceTests {
    private func advice(_ failure: ConnectionFailure, _ facts: SocketFacts = SocketFacts()) -> String {
        let user = HostPaths.user(environment: ["HOME": "/home/a"])
        let choice = HostChoice(.system, user: user, isRoot: false, fileExists: { _ in false })
        return UnreachableAdvice.text(for: failure, at: choice) { facts }
    }

    @Test func `without a host, how to start one`() {
        for failure in [ConnectionFailure.noSocket, .nobodyListens, .hungUp] {
            #expect(advice(failure).contains("sudo bgtask host run --system"))
        }
    }

    @Test func `who may not use the socket learns who may, and how to become one of them`() {
        let grouped = advice(.notAllowed, SocketFacts(owner: "bgtask", group: "operators"))
        for part in ["user bgtask", "root", "socket group operators", "usermod -aG operators", "--user"] {
            #expect(grouped.contains(part), "\(grouped)")
        }
        let alone = advice(.notAllowed, SocketFacts(owner: "bgtask"))
        for part in ["user bgtask", "root", "socket-group", "usermod -aG GROUP", "--user"] {
            #expect(alone.contains(part), "\(alone)")
        }
        #expect(!alone.contains("host run"))
        #expect(advice(.notAllowed, SocketFacts(owner: "root")).hasPrefix("root and the members of its socket group"))
    }

    @Test func `a host that hangs is named, with how to look at it`() {
        let known = advice(.noAnswer, SocketFacts(listener: .process(4711)))
        for part in ["4711", "hangs", "ps ", "journalctl _PID=4711", "kill -KILL 4711"] {
            #expect(known.contains(part), "\(known)")
        }
        #expect(advice(.noAnswer).contains("ss -lxp src /run/bgtask/control.sock"))
    }

    @Test func `the socket tells whose it is and who listens`() async throws {
        try await StubHost.with({ _ in .hangUp }) { host in
            chmod(host.socket, 0o600)
            let own = SocketFacts.of(socketAt: host.socket)
            #expect(own.listener == .process(getpid()) && own.owner != nil && own.group == nil)
            chmod(host.socket, 0o660)
            #expect(SocketFacts.of(socketAt: host.socket).group != nil)
        }
        #expect(SocketFacts.of(socketAt: "/nowhere/s") == SocketFacts())
    }
}

@Suite("bgtaskd is the one that belongs to this command")
struct HostProgramTests {
    @Test func `the one beside the command comes before PATH`() {
        let program = HostProgram(
            executable: "/opt/bgtask/bin/bgtask",
            environment: ["PATH": "/usr/bin:/opt/bgtask/bin"]
        )
        #expect(program.candidates == ["/opt/bgtask/bin/bgtaskd", "/usr/bin/bgtaskd"])
        #expect(program.path { $0 == "/usr/bin/bgtaskd" } == "/usr/bin/bgtaskd")
        #expect(program.path { _ in true } == "/opt/bgtask/bin/bgtaskd")
        #expect(program.path { _ in false } == nil)
    }

    @Test func `a relative folder in PATH is not searched`() {
        #expect(HostProgram(executable: nil, environment: ["PATH": ".:bin::/b"]).candidates == ["/b/bgtaskd"])
    }
}
