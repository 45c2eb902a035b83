// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Runs the work of a command until it ends or a signal, such as that of Ctrl-C, ends it.
enum Interruptible {
    /// The work or its result, which one Swift task passes to another. The caller waits while a Swift task runs the
    /// work, so that no two of them use the value at the same time.
    private struct Transferred<Value>: @unchecked Sendable {
        let value: Value
    }

    private enum Event<Result>: Sendable {
        case result(Transferred<Result>)
        case signal(Int32)
        case noMoreSignals
    }

    /// Runs work until it ends or a signal requests the end of the command. The signal cancels the work, which deletes
    /// its temporary files and ends its processes before this function throws.
    static func cancelling<Result>(_ work: @escaping () async throws -> Result) async throws -> Result {
        let work = Transferred(value: work)
        let signals = CommandContext.current.stopSignals()
        return try await withThrowingTaskGroup(of: Event<Result>.self) { group in
            group.addTask { .result(Transferred(value: try await work.value())) }
            group.addTask {
                for await number in signals { return .signal(number) }
                return .noMoreSignals
            }
            defer { group.cancelAll() }
            while let event = try await group.next() {
                switch event {
                case .result(let result): return result.value
                case .noMoreSignals: continue
                case .signal(let number):
                    group.cancelAll()
                    while await group.nextResult() != nil {}
                    throw failure(of: number)
                }
            }
            throw CancellationError()
        }
    }

    /// Runs a server until it ends or a signal requests the end of the command. The signal cancels the work, which
    /// stops in order; this is a regular end, not a failure.
    static func serving(_ work: @escaping @Sendable () async throws -> Void) async throws {
        do {
            try await cancelling(work)
        } catch let failure as CommandFailure where [.hungUp, .terminated, .interrupted].contains(failure.status) {
            return
        }
    }

    private static func failure(of signal: Int32) -> CommandFailure {
        switch signal {
        case SIGHUP: CommandFailure(.hungUp, "ended by SIGHUP")
        case SIGTERM: CommandFailure(.terminated, "ended by SIGTERM")
        default: CommandFailure(.interrupted, "ended by SIGINT")
        }
    }

    /// Runs work until it ends or the user presses Ctrl-C. Ctrl-C is a regular end, not a failure; so is the end of the
    /// reader of standard output, which the work itself would detect only with its next line.
    static func run(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let context = CommandContext.current
        let interruptions = context.interruptions()
        try await withThrowingTaskGroup { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in interruptions { return }
            }
            group.addTask { try await context.outputClosed() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
