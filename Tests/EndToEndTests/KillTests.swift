// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import Synchronization
import TaskModel
import Testing

@Suite("A killed host loses no request and repeats none without a journal entry", .proves("C3"), .serialized)
struct KillTests {
    private static let rounds = 50
    private static let recorder = TestPlugin(
        "Recorder",
        tasks: ["refresh"] + (1...10).map { "processing\($0)" }
    )

    @Test
    func `after fifty kills during submissions no acknowledged request is lost or repeated without a journal entry`()
        async throws
    {
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
                // Every fourth time the next host is killed as well, while it still recovers from the last kill.
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

    /// Submits from four concurrent clients until the host has ended. Returns the acknowledged submission numbers.
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
                            // The host is gone. It may have recorded the requests that it did not answer.
                            return
                        }
                    }
                }
            }
        }
        return acknowledged.elements
    }

    /// Waits until no request and no event is pending, and no task is running.
    private func drain(_ host: HostFixture) async throws {
        var seen: Int64 = 0
        while true {
            let tasks = try await host.client.tasks()
            if tasks.pending.isEmpty && tasks.running.isEmpty && tasks.events.isEmpty { return }
            seen = try await host.waitForJournal("one more end", after: seen) { _ in true }.number
        }
    }
}

/// The moment of a kill: after a number of acknowledged submissions, and then after `spins` steps of the function
/// `spin`, a short time.
private struct KillMoment: Sendable {
    let acknowledgements: Int
    let spins: Int
}

/// Kills a host once, at the moment of a `KillMoment`.
private final class KillTrigger: Sendable {
    private let moment: KillMoment
    private let isPulled = Atomic(false)

    init(_ moment: KillMoment) { self.moment = moment }

    func pullIfDue(_ acknowledged: Int, _ host: HostFixture) {
        guard acknowledged >= moment.acknowledgements, !isPulled.exchange(true, ordering: .relaxed) else { return }
        // On a thread of its own: the requests of the other clients are anywhere between the socket and the disk.
        let thread = Thread {
            spin(self.moment.spins)
            host.kill9()
        }
        thread.start()
    }
}

/// Spends a short time with `steps` atomic additions. A timer of the test would be too regular.
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
