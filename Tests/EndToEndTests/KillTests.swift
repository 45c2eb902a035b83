// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import Synchronization
import TaskModel
import Testing

@Suite("A host that is killed at any moment loses nothing and repeats nothing in silence", .proves("C3"), .serialized)
struct KillTests {
    private static let rounds = 50
    private static let recorder = TestPlugin(
        "Recorder",
        tasks: ["refresh"] + (1...10).map { "processing\($0)" }
    )

    @Test func `fifty hosts are killed while requests come in, and the ledger's word holds`() async throws {
        let seed = ProcessInfo.processInfo.environment["BGTASK_SEED"].flatMap(UInt64.init) ?? .random(in: 1...999_999)
        print("seed of the killed hosts: \(seed); repeat it with BGTASK_SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        try await HostFixture.with(plugins: [Self.recorder]) { host in
            var acknowledged: [Int64] = []
            for round in 1...Self.rounds {
                let killed = host.pid
                let moment = KillMoment(
                    acknowledgements: Int.random(in: 0...20, using: &random),
                    spins: Int.random(in: 0...400_000, using: &random)
                )
                acknowledged += try await submitUntilKilled(host, at: moment, choosingWith: &random)
                // Now and then the next one is killed as well, while it still sets right what the last one left.
                if round.isMultiple(of: 4) {
                    try await host.restart(killedAfter: Int.random(in: 0...5_000_000, using: &random))
                }
                try await host.restart()
                #expect(host.runnerProcesses(of: killed).isEmpty, "seed \(seed), round \(round)")
            }
            try await drain(host)
            let account = Account(
                acknowledged: acknowledged,
                journal: try await host.journal(),
                ran: host.containerText(Self.recorder, "ran.txt"),
                pending: try await host.client.tasks().pending.map(\.submission)
            )
            print("\(acknowledged.count) acknowledged; \(account.summary)")
            #expect(Set(acknowledged).count == acknowledged.count, "seed \(seed)")
            #expect(acknowledged.count > Self.rounds, "there was something to lose: \(acknowledged.count)")
            #expect(account.lost.isEmpty, "seed \(seed)")
            #expect(account.repeatedInSilence.isEmpty, "seed \(seed)")
            #expect(account.contradicted.isEmpty, "seed \(seed)")
        }
    }

    /// Four callers submit one after the other until the host is gone; returns what it acknowledged.
    private func submitUntilKilled(
        _ host: HostFixture,
        at moment: KillMoment,
        choosingWith random: inout SeededGenerator
    ) async throws -> [Int64] {
        let acknowledged = Tape<Int64>()
        let trigger = KillTrigger(moment)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let seed = random.next()
                group.addTask {
                    var own = SeededGenerator(seed: seed)
                    while true {
                        trigger.pullIfDue(acknowledged.elements.count, host)
                        let task = Self.recorder.tasks.randomElement(using: &own) ?? "refresh"
                        let kind: TaskKind = task == "refresh" ? .refresh : .processing
                        do {
                            let number = try await host.submit(Self.recorder.task(task), kind)
                            acknowledged.append(number)
                        } catch let ControlError.refused(_, reply) {
                            Issue.record("refused: \(reply.error)")
                            host.kill9()
                            return
                        } catch {
                            // The host is gone. What it did not answer, it may have done or not.
                            return
                        }
                    }
                }
            }
        }
        return acknowledged.elements
    }

    /// Waits until all that can run has.
    private func drain(_ host: HostFixture) async throws {
        var seen: Int64 = 0
        while true {
            let tasks = try await host.client.tasks()
            if tasks.pending.isEmpty && tasks.running.isEmpty && tasks.events.isEmpty { return }
            seen = try await host.waitForJournal("one more end", after: seen) { _ in true }.number
        }
    }
}

/// When a host is killed: after so many acknowledgements and a few microseconds more.
private struct KillMoment: Sendable {
    let acknowledgements: Int
    let spins: Int
}

/// Kills a host once, at its moment.
private final class KillTrigger: Sendable {
    private let moment: KillMoment
    private let isPulled = Atomic(false)

    init(_ moment: KillMoment) { self.moment = moment }

    func pullIfDue(_ acknowledged: Int, _ host: HostFixture) {
        guard acknowledged >= moment.acknowledgements, !isPulled.exchange(true, ordering: .relaxed) else { return }
        // Beside the other callers, so that their requests are anywhere between here and the disk.
        let thread = Thread {
            spin(self.moment.spins)
            host.kill9()
        }
        thread.start()
    }
}

/// Lets a little time pass that is not the same twice; the clock of a test would be.
private func spin(_ steps: Int) {
    let spun = Atomic(0)
    for _ in 0..<steps { spun.add(1, ordering: .relaxed) }
}

extension HostFixture {
    fileprivate func restart(killedAfter steps: Int) async throws {
        try await begin()
        spin(steps)
        kill9()
    }
}
