// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import HostService

@Suite("A gate opens once and lets every waiting task pass", .timeLimit(.minutes(10)))
struct GateTests {
    @Test func `waiting tasks pass when the gate opens, and later tasks pass at once`() async throws {
        let gate = Gate()
        #expect(!gate.isOpen)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await gate.pass() } }
            gate.open()
            try await group.waitForAll()
        }
        #expect(gate.isOpen)
        try await gate.pass()
        await gate.pass(within: .seconds(3600))
    }

    @Test func `a cancelled task stops waiting at a gate`() async {
        let gate = Gate()
        let task = Task { try await gate.pass() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!gate.isOpen)
    }

    @Test func `a wait with a time limit ends although the gate stays closed`() async {
        let gate = Gate()
        await gate.pass(within: .milliseconds(1))
        #expect(!gate.isOpen)
    }
}
