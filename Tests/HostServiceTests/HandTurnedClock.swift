// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// A clock that a test advances. It reports each sleep to the test.
final class HandTurnedClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration = .zero
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant()
        var sleeper: Sleeper?
    }

    private let state = Mutex(State())
    private let sleeps: AsyncStream<Duration>
    private let announce: AsyncStream<Duration>.Continuation

    init() { (sleeps, announce) = AsyncStream.makeStream(of: Duration.self) }

    var now: Instant { state.withLock { $0.now } }
    let minimumResolution: Duration = .nanoseconds(1)

    /// Sleeps until the test advances the clock to the deadline or beyond, or the task is cancelled. Only one task can
    /// sleep at a time.
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state in
                    precondition(state.sleeper == nil, "nobody else may sleep")
                    state.sleeper = Sleeper(deadline: deadline, continuation: continuation)
                    return state.now
                }
                announce.yield(now.duration(to: deadline))
                if Task.isCancelled { wake() }
            }
        } onCancel: {
            wake()
        }
        try Task.checkCancellation()
    }

    /// Waits for the next sleep to begin, and returns its duration; nil when the waiting task is cancelled.
    func nextSleep() async -> Duration? {
        for await sleep in sleeps { return sleep }
        return nil
    }

    func advance(by duration: Duration) {
        let isOver = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            return state.sleeper.map { $0.deadline <= state.now } ?? false
        }
        if isOver { wake() }
    }

    private func wake() {
        let sleeper = state.withLock { $0.sleeper.take() }
        sleeper?.continuation.resume()
    }
}
