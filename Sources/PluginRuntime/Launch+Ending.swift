// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import RunnerWire
import Synchronization
import TaskModel

// The end of a launch, from the host's word to the end of the process.
extension Launch {
    /// The writing out of what the plugin printed, once it has begun.
    struct Flush {
        /// How long it may take.
        static let limit: Duration = .seconds(1)

        let deadline: MonotonicTime
        /// Whose locks others held just before.
        let lockedStreams: [String]
    }

    /// Never blocks: called by the control thread.
    func stop() {
        onThread(named: "bgtask-stop") {
            self.state.withLock { $0.hooks }?.stop()
            self.end()
        }
    }

    private func end() -> Never {
        let (handlers, expirationHandlers, assertionHandlers) = state.withLock { state in
            state.hasEnded = true
            return (state.registrations.end(), state.tasks.end(), state.assertions.close())
        }
        desk.close()
        for handler in handlers { handler.release() }
        for handler in expirationHandlers { handler.release() }
        for handler in assertionHandlers { handler.release() }
        awaitAssertionCalls()
        for change in watch.changes() { violation("BGT-ABI-16", change) }
        flushOutput()
        finish()
    }

    /// The last message, and the end of the process. No atexit function runs, no destructor: they belong to the plugin.
    func finish() -> Never {
        if isFinishing.exchange(true, ordering: .acquiringAndReleasing) {
            // Another thread is at it and ends this one too.
            while true { pause() }
        }
        sendLastReports()
        channel.send(.stopped, isLast: true)
        channel.flushWaiting()
        _exit(0)
    }

    /// Writes out what the plugin printed and libc still holds. A stream's lock may be held for good, and nothing can
    /// take it away: the control thread bounds this.
    private func flushOutput() {
        let begun = Flush(deadline: .now + Flush.limit, lockedStreams: OutputStreams.locked)
        flush.withLock { $0 = begun }
        channel.wake()
        fflush(nil)
    }

    /// Nil before it began.
    var flushDeadline: MonotonicTime? { flush.withLock { $0?.deadline } }

    /// Ends the process without what is still held back, and says why.
    func cutFlush() -> Never {
        // Flushing holds a lock too, but not before it began.
        let held = flush.withLock { $0?.lockedStreams ?? [] }.filter(OutputStreams.locked.contains)
        if held.isEmpty {
            let message = "what was written to files was not flushed in time and is lost; close them when they are done"
            channel.send(.log(.warning, message: message))
        } else {
            violation(
                "BGT-ABI-16",
                "a thread holds the lock of \(held.joined(separator: " and ")), so that what was printed there is lost;"
                    + " unlock it before the last task is completed"
            )
        }
        finish()
    }
}
