// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOPosix
import TaskLedger

/// Threads for blocking disk access. They keep blocking reads off the pool that serves the callers, which has one
/// thread per processor.
struct DiskThreads: Sendable {
    /// Number of threads: one fewer than the concurrent reads that the ledger permits, so that one read stays free for
    /// other threads, such as the queue that assigns users to plugins.
    static let count = Ledger.readers - 1

    private let pool = NIOThreadPool(numberOfThreads: count)

    /// Runs `body` with new threads, which end when `body` returns.
    static func with<Result>(_ body: (DiskThreads) async throws -> Result) async throws -> Result {
        let threads = DiskThreads()
        threads.pool.start()
        do {
            let result = try await body(threads)
            try await threads.pool.shutdownGracefully()
            return result
        } catch {
            try? await threads.pool.shutdownGracefully()
            throw error
        }
    }

    /// Queues `work` after earlier work. `work` is dropped when the threads have ended.
    func perform(_ work: @escaping @Sendable () -> Void) {
        pool.submit { state in
            if case .active = state { work() }
        }
    }

    /// Queues `work` after earlier work and returns its result. Throws the error of `work`. Also throws when the caller
    /// is cancelled, or the threads have ended, before `work` begins.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await pool.runIfActive(work)
    }
}
