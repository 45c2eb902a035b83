// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import Logging
import Synchronization

/// Logs to standard error from its own queue, so that a blocked terminal does not delay the end of a launch.
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

/// Keeps log lines in order until they are written, up to a maximum number.
final class LogWriter: Sendable {
    static let shared = LogWriter()

    /// Maximum number of waiting lines; more mean that standard error is not read.
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

    /// Waits at most a second for the waiting lines to be written; used at exit.
    func drain() {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + .seconds(1))
    }
}
