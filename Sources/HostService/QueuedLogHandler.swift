// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import Foundation
import LinuxSystem
import Logging
import Synchronization
import TaskModel

/// A log handler that writes to standard error from its own queue, so that a blocked terminal does not delay the end of
/// a launch.
struct QueuedLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { _, own in own }
        let line = LogLine(
            level: event.level,
            message: event.message.description,
            fields: fields,
            time: SystemClock().now().wall
        )
        LogWriter.shared.write(line)
    }
}

/// Writes log lines in order, from a queue with a maximum length. Lines that do not fit into the queue are counted and
/// dropped.
final class LogWriter: Sendable {
    static let shared = LogWriter()

    /// Maximum number of lines that wait to be written. Lines beyond this number are dropped: standard error is then
    /// not being read.
    private static let capacity = 10_000

    private struct State {
        var waiting = 0
        var dropped = 0
    }

    private let queue = DispatchQueue(label: "bgtask.log")
    private let state = Mutex(State())

    /// Whether standard error is a stream of systemd's journal. True when `JOURNAL_STREAM` contains the device and
    /// inode of standard error.
    private let isInJournal: Bool = {
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return ProcessInfo.processInfo.environment["JOURNAL_STREAM"] == "\(status.st_dev):\(status.st_ino)"
    }()

    func write(_ line: LogLine) {
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
            self.print(line)
            let dropped = self.state.withLock { state in
                state.waiting -= 1
                defer { state.dropped = 0 }
                return state.dropped
            }
            if dropped > 0 {
                let message = "log lines dropped: \(dropped); the reader of the log is too slow"
                self.print(LogLine(level: .warning, message: message, fields: [:], time: SystemClock().now().wall))
            }
        }
    }

    private func print(_ line: LogLine) {
        // A closed standard error stops no host.
        try? FileHandle.standardError.write(contentsOf: Data((line.text(isInJournal: isInJournal) + "\n").utf8))
    }

    /// Blocks until the waiting lines are written, for at most a second. Used at exit.
    func drain() {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + .seconds(1))
    }
}
