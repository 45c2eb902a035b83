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
/// dropped; a line with their number stands in their place.
final class LogWriter: Sendable {
    static let shared = LogWriter { text in
        // A closed standard error stops no host.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// Maximum number of lines that wait to be written. Lines beyond this number are dropped: standard error is then
    /// not being read.
    private let capacity: Int
    private let output: @Sendable (String) -> Void

    private struct State {
        var waiting = 0
        /// Number of dropped lines that are not reported in the log yet.
        var dropped = 0

        mutating func takeDropped() -> Int {
            defer { dropped = 0 }
            return dropped
        }
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

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of waiting lines; further lines are dropped and counted.
    ///   - output: writes a text, and blocks while its reader is slow. Called from one thread at a time.
    init(capacity: Int = 10_000, output: @escaping @Sendable (String) -> Void) {
        self.capacity = capacity
        self.output = output
    }

    func write(_ line: LogLine) {
        let droppedBefore: Int? = state.withLock { state in
            if state.waiting >= capacity {
                state.dropped += 1
                return nil
            }
            state.waiting += 1
            return state.takeDropped()
        }
        guard let droppedBefore else { return }
        queue.async {
            self.announce(droppedBefore)
            self.print(line)
            // Without a waiting line, no later line announces the dropped ones.
            let droppedAfter = self.state.withLock { state in
                state.waiting -= 1
                return state.waiting == 0 ? state.takeDropped() : 0
            }
            self.announce(droppedAfter)
        }
    }

    private func announce(_ dropped: Int) {
        if dropped == 0 { return }
        let message = "dropped log lines: \(dropped); the reader of the log is too slow"
        print(LogLine(level: .warning, message: message, fields: [:], time: SystemClock().now().wall))
    }

    private func print(_ line: LogLine) { output(line.text(isInJournal: isInJournal) + "\n") }

    /// Blocks until the waiting lines are written, for at most a second. Used at exit.
    func drain() {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + .seconds(1))
    }
}
