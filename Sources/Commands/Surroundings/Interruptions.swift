// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Signals that ask the command to end, put off while it does what must not stay half done.
enum Interruptions {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    static func deferred<Result>(_ body: () async throws -> Result) async throws -> Result {
        let before = signals.map { signal($0, SIG_IGN) }
        defer { for (number, handler) in zip(signals, before) { signal(number, handler) } }
        return try await body()
    }
}
