// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import Foundation
import Synchronization

/// Walks that run in parallel, with common counts. It detects a walk that does not end.
final class WalkParty: Sendable {
    /// The time limit of one walk. A walk usually takes less than a second, on a busy machine a few seconds.
    private static let timeLimit: Duration = .seconds(180)

    private struct State {
        var tally = WalkTally()
        var under: [UInt64: ContinuousClock.Instant] = [:]
        var newest: UInt64
        var reportedAt = 0
    }

    private let begin = ContinuousClock.now
    private let oldest: UInt64
    private let state: Mutex<State>
    /// A queue beside the walks that reports the seed of a walk which does not end.
    private let guardian = DispatchQueue(label: "walks that do not end")
    /// Number of events between two progress messages.
    private let interval: Int

    init(firstSeed: UInt64, interval: Int) {
        oldest = firstSeed
        self.interval = interval
        state = Mutex(State(newest: firstSeed))
        scheduleHangCheck()
    }

    func walk(seed: UInt64, steps: Int) throws -> WalkTally {
        state.withLock { $0.under[seed] = .now }
        defer { state.withLock { $0.under[seed] = nil } }
        let tally = try RandomWalk.walk(RandomWalk.numbers(of: seed, steps: steps))
        note(tally, seed: seed)
        return tally
    }

    /// The counts of all walks that have ended.
    var tally: WalkTally { state.withLock(\.tally) }

    var report: String {
        let seconds = Double((ContinuousClock.now - begin) / .milliseconds(1)) / 1_000
        return state.withLock { $0.tally.report(seeds: oldest...$0.newest, seconds: seconds) }
    }

    private func note(_ tally: WalkTally, seed: UInt64) {
        let count = state.withLock { state -> Int? in
            state.tally.add(tally)
            state.newest = max(state.newest, seed)
            let count = state.tally.eventCount
            if count / interval == state.reportedAt / interval { return nil }
            state.reportedAt = count
            return count
        }
        if let count { print("\(count) events walked, up to seed \(seed)") }
    }

    private func scheduleHangCheck() {
        guardian.asyncAfter(deadline: .now() + 10) { [weak self] in
            self?.checkForHangs()
            self?.scheduleHangCheck()
        }
    }

    private func checkForHangs() {
        let hanging = state.withLock { state in
            state.under.filter { ContinuousClock.now - $0.value > Self.timeLimit }.keys.min()
        }
        guard let hanging else { return }
        print("the walk of seed \(hanging) does not end; see where with: make soak WALK=seed:\(hanging)")
        exit(1)
    }
}
