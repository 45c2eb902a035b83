// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// The run loop of the main thread, after the plugin's entry has returned or while its async closure runs. It runs the
/// main queue, main-actor code and timers.
enum MainLoop {
    static func run() -> Never {
        while true { turn() }
    }

    /// Runs the loop until the function has returned, and returns its result.
    @MainActor
    static func wait(for function: @escaping @MainActor () async throws -> Void) -> Result<Void, any Error> {
        let end = End()
        Task {
            do {
                end.result = .success(try await function())
            } catch {
                end.result = .failure(error)
            }
        }
        while true {
            if let result = end.result { return result }
            turn()
        }
    }

    private static func turn() {
        // `run` returns when no source could ever wake it; a later handler may add one.
        if !RunLoop.main.run(mode: .default, before: .distantFuture) { Thread.sleep(forTimeInterval: 0.05) }
    }

    @MainActor
    private final class End {
        var result: Result<Void, any Error>?
    }
}
