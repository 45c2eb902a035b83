// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import Synchronization

/// Ignores SIGINT, SIGTERM and SIGHUP during a change that must not be left incomplete.
enum Interruptions {
    private typealias Handler = @convention(c) (CInt) -> Void

    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    /// The count of changes in progress, and the handlers from before the first of them. Signal handlers belong to the
    /// process: without the count, the second of two changes at the same time would restore "ignored" for ever.
    private static let inProgress = Mutex<(count: Int, before: [Handler?])>((0, []))

    static func deferred<Result>(_ body: () async throws -> Result) async throws -> Result {
        begin()
        defer { end() }
        return try await body()
    }

    private static func begin() {
        inProgress.withLock { state in
            if state.count == 0 { state.before = signals.map { signal($0, SIG_IGN) } }
            state.count += 1
        }
    }

    private static func end() {
        inProgress.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return }
            for (number, handler) in zip(signals, state.before) { signal(number, handler) }
        }
    }
}
