// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOPosix
import TaskLedger

/// The threads that wait for the disk on behalf of callers, of the catalogue and of the ledger's care. Callers share a pool
/// with one thread per processor; a read that blocks one of those would hold up the answers to others.
struct DiskThreads: Sendable {
    /// One fewer than the ledger's readers: one is left for the host's own start and care.
    static let count = Ledger.readers - 1

    private let pool = NIOThreadPool(numberOfThreads: count)

    /// Runs `body` with such threads, which are gone afterwards.
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

    /// Has `work` done behind what was asked for before; not at all once the threads are gone.
    func perform(_ work: @escaping @Sendable () -> Void) {
        pool.submit { state in
            if case .active = state { work() }
        }
    }

    /// Waits its turn behind what was asked for before. Throws what `work` throws, and when the caller was cancelled or
    /// the threads are gone before it began.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await pool.runIfActive(work)
    }
}
