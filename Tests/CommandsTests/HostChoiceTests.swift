// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Testing

@testable import Commands

@Suite("The user's host comes first, and a wish before that")
struct HostChoiceTests {
    private let user = HostPaths.user(environment: ["XDG_RUNTIME_DIR": "/run/user/1"])
    private let userSocket = "/run/user/1/bgtask/control.sock"
    private let systemSocket = "/run/bgtask/control.sock"

    private func choose(_ wish: HostChoice.Wish, existing: Set<String>) -> HostChoice {
        HostChoice(wish, user: user, fileExists: existing.contains)
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
