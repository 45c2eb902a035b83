// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Glibc
import HostConfiguration
import Testing

@testable import Commands

@Suite("An option chooses the host; without options the user's host comes before the system's")
struct HostChoiceTests {
    private let user = HostPaths.user(environment: ["XDG_RUNTIME_DIR": "/run/user/1"])
    private let userSocket = "/run/user/1/bgtask/control.sock"
    private let systemSocket = "/run/bgtask/control.sock"

    private func choose(_ selection: HostChoice.Selection, existing: Set<String>) -> HostChoice {
        HostChoice(selection, user: user, isRoot: false, fileExists: existing.contains)
    }

    @Test func `bgtask --user as root chooses root's own host; the hint has its start command and the other options`() {
        let user = HostPaths.user(environment: ["HOME": "/root"])
        let choice = HostChoice(.user, user: user, isRoot: true, fileExists: { _ in false })
        #expect(choice.socket == "/root/.local/state/bgtask/control.sock")
        for part in ["root's own host", "--socket", "--system", "bgtask host run --user"] {
            #expect(choice.startHint.contains(part))
        }
        let any = HostChoice(.whicheverIsThere, user: user, isRoot: true, fileExists: { _ in false })
        #expect(any.startHint.contains("bgtask host run --user") && !any.startHint.contains("sudo"))
    }

    @Test func `without an option bgtask chooses the user's host if its socket exists`() {
        #expect(choose(.whicheverIsThere, existing: [userSocket, systemSocket]).socket == userSocket)
        #expect(choose(.whicheverIsThere, existing: [userSocket]).socket == userSocket)
    }

    @Test func `without an option and without a user's socket bgtask chooses the system's host`() {
        #expect(choose(.whicheverIsThere, existing: [systemSocket]).socket == systemSocket)
        #expect(choose(.whicheverIsThere, existing: []).socket == systemSocket)
    }

    @Test func `an explicit choice of a host is kept regardless of the existing sockets`() {
        #expect(choose(.system, existing: [userSocket]).socket == systemSocket)
        #expect(choose(.user, existing: [systemSocket]).socket == userSocket)
        #expect(choose(.socket("/tmp/s"), existing: [userSocket, systemSocket]).socket == "/tmp/s")
    }

    @Test func `the hint for an unreachable host names the command that starts the requested host`() {
        #expect(choose(.system, existing: []).startHint.contains("sudo systemctl start bgtaskd"))
        #expect(choose(.user, existing: []).startHint.contains("bgtask host run"))
        #expect(choose(.socket("/tmp/s"), existing: []).startHint.contains("bgtask host run --socket /tmp/s"))
        #expect(choose(.whicheverIsThere, existing: []).startHint.contains(userSocket))
    }
}

@Suite("A connection failure is reported with a remedy")
struct UnreachableAdviceTests {
    private func advice(_ failure: ConnectionFailure, _ facts: SocketFacts = SocketFacts()) -> String {
        let user = HostPaths.user(environment: ["HOME": "/home/a"])
        let choice = HostChoice(.system, user: user, isRoot: false, fileExists: { _ in false })
        return UnreachableAdvice.text(for: failure, at: choice) { facts }
    }

    @Test func `the advice for a missing host is a command that starts a host`() {
        for failure in [ConnectionFailure.noSocket, .noListener, .hungUp] {
            #expect(advice(failure).contains("sudo systemctl start bgtaskd"))
        }
    }

    @Test func `the advice for a forbidden socket names the permitted users and the command that adds one`() {
        let grouped = advice(.notAllowed, SocketFacts(owner: "bgtask", group: "operators"))
        for part in ["user bgtask", "root", "socket group operators", "usermod -aG operators", "--user"] {
            #expect(grouped.contains(part), "\(grouped)")
        }
        let alone = advice(.notAllowed, SocketFacts(owner: "bgtask"))
        for part in ["user bgtask", "root", "socket-group", "usermod -aG GROUP", "--user"] {
            #expect(alone.contains(part), "\(alone)")
        }
        #expect(!alone.contains("host run"))
        let ofRoot = advice(.notAllowed, SocketFacts(owner: "root"))
        #expect(ofRoot.hasPrefix("root and the members of the host's socket group"))
    }

    @Test func `the advice for a host that does not answer has its process id and commands to inspect or kill it`() {
        let known = advice(.noAnswer, SocketFacts(listener: .process(4711)))
        for part in ["4711", "hangs", "ps ", "journalctl _PID=4711", "kill -KILL 4711"] {
            #expect(known.contains(part), "\(known)")
        }
        #expect(advice(.noAnswer).contains("ss -lxp src /run/bgtask/control.sock"))
    }

    @Test func `the advice for an answer that is too large is to select less, not to start a host`() {
        let text = advice(.answerTooLarge)
        #expect(text.contains("--limit") && !text.contains("host run"), "\(text)")
        #expect(advice(.other("bad")).hasPrefix("check the process at the socket with: ss -lxp src /run/bgtask/"))
    }

    @Test func `the owner, the group and the listening process of a control socket are determined`() async throws {
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

@Suite("bgtask starts the bgtaskd of its own installation")
struct HostProgramTests {
    @Test func `bgtaskd beside bgtask takes precedence over bgtaskd in PATH`() {
        let program = HostProgram(
            executable: "/opt/bgtask/bin/bgtask",
            environment: ["PATH": "/usr/bin:/opt/bgtask/bin"]
        )
        #expect(program.candidates == ["/opt/bgtask/bin/bgtaskd", "/usr/bin/bgtaskd"])
        #expect(program.path { $0 == "/usr/bin/bgtaskd" } == "/usr/bin/bgtaskd")
        #expect(program.path { _ in true } == "/opt/bgtask/bin/bgtaskd")
        #expect(program.path { _ in false } == nil)
    }

    @Test func `a relative directory in PATH is not searched for bgtaskd`() {
        #expect(HostProgram(executable: nil, environment: ["PATH": ".:bin::/b"]).candidates == ["/b/bgtaskd"])
    }
}
