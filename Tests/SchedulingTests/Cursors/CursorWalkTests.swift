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

    @Test(.proves("C19"), arguments: 1...30)
    func `of random tasks of one identifier, only the newest started one moves the cursor, and it continues`(
        seed: Int
    ) throws {
        let walk = try OwnerWalk(seed: UInt64(seed))
        for _ in 0..<40 { walk.step() }
        walk.crash()
    }
}

/// A task with random runs, beside a model of its cursor and of the runs in a row that did not move it.
private final class CursorWalk: CursorSuite {
    let host = SchedulerDriver(.app())
    private var random: SeededGenerator
    private var hasCursor = false
    private var beganAtCursor = false
    private var hasMoved = false
    /// Whether the run discarded the cursor of an earlier run.
    private var hasBegunAgain = false
    private var standstills = 0
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
        default: lose()
        }
        #expect((host.ledger.cursors[.clean] != nil) == hasCursor)
    }

    private func begin() throws {
        if host.request(.clean) == nil, !host.running.contains(.clean) { host.submit(.clean) }
        for _ in 0..<1_000 where !host.running.contains(.clean) { host.advance(by: host.timeToWake ?? .seconds(1)) }
        try #require(host.running.contains(.clean))
        host.enter()
        entered = host.lastPlan?.number
        (beganAtCursor, hasMoved, hasBegunAgain) = (hasCursor, false, false)
        attempts = host.lastPlan?.tasks.first?.work.retry.attempts ?? 0
    }

    private func note(_ change: CursorWrite) throws {
        try write(.clean, change)
        hasMoved = change == .moved
        hasCursor = change != .discarded
        if change != .discarded { return }
        hasBegunAgain = hasBegunAgain || beganAtCursor
        host.ledger.discardCursor(of: .clean)
    }

    /// Ends the run by a fault or by an expiration for its budget. A run that moved the cursor continues without a
    /// charge, unless it was the third one in a row that began from the start.
    private func interrupt(_ body: () -> Void) {
        body()
        let outcome = host.outcomes(of: .clean).last
        let isCounted = hasBegunAgain || hasCursor && !hasMoved
        let count = isCounted ? standstills + 1 : 0
        if hasMoved { #expect(outcome == (count < 3 ? .continues : .noProgress)) }
        #expect(outcome != .noProgress || count >= 3)
        // The count is stored with the cursor.
        standstills = hasCursor && outcome != .noProgress && outcome != .abandoned ? count : 0
        #expect(host.ledger.cursors[.clean] ?? 0 == standstills)
        if hasMoved, let pending = host.request(.clean) { #expect(pending.retry.attempts == attempts) }
    }

    /// Ends the host. Its loss is no standstill.
    private func lose() {
        host.restart(after: .seconds(1))
        if hasMoved { #expect(host.outcomes(of: .clean).last == .continues) }
        if hasMoved, let pending = host.request(.clean) { #expect(pending.retry.attempts == attempts) }
        #expect([0, standstills].contains(host.ledger.cursors[.clean] ?? 0))
        standstills = host.ledger.cursors[.clean] ?? 0
    }

    private func complete(as outcome: CompletionOutcome) {
        host.complete(.clean, as: outcome)
        if outcome == .success { hasCursor = false }
        if hasMoved || !hasCursor { standstills = 0 }
        #expect(host.ledger.cursors[.clean] ?? 0 == standstills)
    }
}

/// A launch with several tasks of one identifier.
private final class OwnerWalk {
    private let host: SchedulerDriver
    private let plan: LaunchPlan
    private var random: SeededGenerator
    private var open: [TaskID] = []
    private var ended: [TaskID] = []
    /// The task that started last; it alone may move the cursor.
    private var newest: TaskID?
    private var hasMoved = false
    private var lastReply: UInt64 = 5_000

    init(seed: UInt64) throws {
        let host = SchedulerDriver(.studio())
        plan = try #require(host.openByUser())
        random = SeededGenerator(seed: seed)
        self.host = host
    }

    func step() {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: if let task = open.randomElement(using: &random) { write(task) }
        case 5..<7: submit()
        case 7, 8: complete()
        default: if let task = ended.randomElement(using: &random) { write(task) }
        }
    }

    private func write(_ task: TaskID) {
        lastReply += 1
        let reply = ReplyToken(rawValue: lastReply)
        host.send(.cursorWritten(plan.number, task, .moved, reply: reply))
        let mayWrite = task == newest && open.contains(task)
        #expect((host.answers[reply] == .cursorRecorded) == mayWrite)
        if mayWrite { hasMoved = true }
        #expect((host.ledger.cursors[.album(1)] != nil) == hasMoved)
    }

    /// Submits a newer request of the identifier while older tasks run.
    private func submit() {
        if open.count > 2 { return }
        let known = host.actions.count
        host.submitContinued(from: plan)
        let task = host.tasks(of: plan.number).last?.id
        guard let task, task != plan.tasks.last?.id, task != newest else { return }
        let yielded = host.actions[known...].compactMap { action -> TaskID? in
            if case .yieldCursor(plan.number, let id) = action { id } else { nil }
        }
        #expect(Set(yielded) == Set(open))
        open.append(task)
        newest = task
    }

    /// Completes an older task as failed.
    private func complete() {
        guard let task = open.dropLast().randomElement(using: &random) else { return }
        host.send(.completed(plan.number, task, .failure))
        open.removeAll { $0 == task }
        ended.append(task)
    }

    /// Ends the process. Only the newest task is requeued, and only if it moved the cursor without a charge.
    func crash() {
        guard let newest, let work = host.tasks(of: plan.number).last?.work, open.contains(newest) else { return }
        host.crash(plan)
        let continued = host.journal.filter { $0.event == .task(.continues) && $0.label == work.label }
        if let entry = continued.first { #expect(entry.submission == work.number && continued.count == 1) }
        if let pending = host.request(.album(1)) {
            #expect(pending.number == work.number && pending.retry.attempts == 0)
        }
    }
}
