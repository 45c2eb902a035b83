// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import Logging
import Synchronization

/// Logs to standard error from a queue of its own: a terminal that stands still stops no launch from being ended.
struct QueuedLogHandler: LogHandler {
    private var inner: StreamLogHandler

    init(label: String) { inner = StreamLogHandler.standardError(label: label) }

    var metadata: Logger.Metadata {
        get { inner.metadata }
        set { inner.metadata = newValue }
    }

    var logLevel: Logger.Level {
        get { inner.logLevel }
        set { inner.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { inner[metadataKey: key] }
        set { inner[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        let inner = inner
        LogWriter.shared.write { inner.log(event: event) }
    }
}

/// Keeps log lines until they are written, in order, and no more of them than memory can spare.
final class LogWriter: Sendable {
    static let shared = LogWriter()

    /// More lines than that mean that nobody reads.
    private static let capacity = 10_000

    private struct State {
        var waiting = 0
        var dropped = 0
    }

    private let queue = DispatchQueue(label: "bgtask.log")
    private let state = Mutex(State())

    func write(_ line: @escaping @Sendable () -> Void) {
        let isTaken = state.withLock { state in
            if state.waiting >= Self.capacity {
                state.dropped += 1
                return false
            }
            state.waiting += 1
            return true
        }
        guard isTaken else { return }
        queue.async {
            line()
            let dropped = self.state.withLock { state in
                state.waiting -= 1
                defer { state.dropped = 0 }
                return state.dropped
            }
            if dropped > 0 {
                StreamLogHandler.standardError(label: "bgtaskd").log(
                    event: LogEvent(
                        level: .warning,
                        message: "\(dropped) log lines dropped: the reader of the log is too slow",
                        metadata: nil,
                        source: "HostService",
                        file: #fileID,
                        function: #function,
                        line: #line
                    )
                )
            }
        }
    }

    /// Gives what waits a moment to be written, at the end.
    func drain() {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + .seconds(1))
    }
}
