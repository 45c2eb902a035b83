// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Ignores SIGINT, SIGTERM and SIGHUP during a change that must not be left incomplete.
enum Interruptions {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    static func deferred<Result>(_ body: () async throws -> Result) async throws -> Result {
        let before = signals.map { signal($0, SIG_IGN) }
        defer { for (number, handler) in zip(signals, before) { signal(number, handler) } }
        return try await body()
    }
}
