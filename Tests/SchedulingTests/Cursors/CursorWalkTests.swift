// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A random course of runs loses no cursor, and charges no attempt to a run that moved it")
struct CursorWalkTests {
    @Test(.proves("C19"), arguments: 1...30)
    func `random ends of runs keep the cursor until a success, and charge no run that moved it`(seed: Int) throws {
        let walk = CursorWalk(seed: UInt64(seed))
        for _ in 0..<40 { try walk.step() }
    }
}

/// A task with random runs, beside a model of its cursor.
private final class CursorWalk: CursorSuite {
    let host = SchedulerDriver(.app())
    private var random: SeededGenerator
    private var hasCursor = false
    private var beganAtCursor = false
    private var hasMoved = false
    private var attempts = 0
    /// The launch that has entered. A restart can start the next one at once.
    private var entered: LaunchNumber?

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func step() throws {
        guard host.running.contains(.clean), host.lastPlan?.number == entered else { return try begin() }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: try note(.moved)
        case 4: try note(beganAtCursor ? .unmoved : .moved)
        case 5: try note(.discarded)
        case 6: interrupt { host.crash() }
        case 7: interrupt { failAtExpiration(.clean) }
        case 8: complete(as: random.chance(50) ? .success : .failure)
        default: interrupt { host.restart(after: .seconds(1)) }
        }
        #expect((host.ledger.cursors[.clean] != nil) == hasCursor)
    }

    private func begin() throws {
        if host.request(.clean) == nil, !host.running.contains(.clean) { host.submit(.clean) }
        for _ in 0..<1_000 where !host.running.contains(.clean) { host.advance(by: host.timeToWake ?? .seconds(1)) }
        try #require(host.running.contains(.clean))
        host.enter()
        entered = host.lastPlan?.number
        (beganAtCursor, hasMoved) = (hasCursor, false)
        attempts = host.lastPlan?.tasks.first?.work.retry.attempts ?? 0
    }

    private func note(_ change: CursorWrite) throws {
        try write(.clean, change)
        hasMoved = change == .moved
        hasCursor = change != .discarded
        if change == .discarded { host.ledger.discardCursor(of: .clean) }
    }

    /// Ends the run early. A run that moved the cursor continues without a charge.
    private func interrupt(_ body: () -> Void) {
        body()
        guard hasMoved else { return }
        #expect(host.outcomes(of: .clean).last == .continues)
        if let pending = host.request(.clean) { #expect(pending.retry.attempts == attempts) }
    }

    private func complete(as outcome: CompletionOutcome) {
        host.complete(.clean, as: outcome)
        if outcome == .success { hasCursor = false }
    }
}
