// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Runs work until it ends or the user presses Ctrl-C. Ctrl-C is a regular end, not a failure.
enum Interruptible {
    static func run(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let interruptions = CommandContext.current.interruptions()
        try await withThrowingTaskGroup { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in interruptions { return }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
