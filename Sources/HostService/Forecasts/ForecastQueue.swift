// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import DequeModule
import Synchronization

/// Admits one forecast at a time, in the order of their calls. A bounded number waits; later ones are refused. Safe to
/// use from any thread.
final class ForecastQueue: Sendable {
    /// Maximum number of waiting forecasts.
    static let mostWaiting = 4

    private struct State {
        var isBusy = false
        var waiting: Deque<CheckedContinuation<Void, Never>> = []
    }

    private enum Admission { case now, later, refused }

    private let state = Mutex(State())

    /// Runs `body` when no other one runs.
    func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await enter()
        defer { leave() }
        try Task.checkCancellation()
        return try await body()
    }

    private func enter() async throws {
        var admission = Admission.now
        await withCheckedContinuation { continuation in
            admission = state.withLock { state in
                if !state.isBusy {
                    state.isBusy = true
                    return .now
                }
                if state.waiting.count >= Self.mostWaiting { return .refused }
                state.waiting.append(continuation)
                return .later
            }
            if admission != .later { continuation.resume() }
        }
        if admission == .refused { throw RouteError.tooManyForecasts(most: Self.mostWaiting) }
    }

    private func leave() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            state.isBusy = next != nil
            return next
        }
        next?.resume()
    }
}
