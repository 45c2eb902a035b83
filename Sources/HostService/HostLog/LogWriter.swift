// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import LinuxSystem
import Logging
import Synchronization
import TaskModel

/// Writes log lines in order, from a queue with a maximum length. Lines that do not fit into the queue, or that the
/// receiver of the log does not accept, are counted and dropped; a line with their number stands in their place.
final class LogWriter: Sendable {
    static let shared = LogWriter(output: LogOutput.ofProcess.write)

    /// Maximum number of lines that wait to be written. Lines beyond this number are dropped: the log is then not being
    /// read.
    private let capacity: Int
    /// Maximum size of these lines in bytes: plugins decide how long they are.
    private let byteCapacity: Int
    private let output: LogOutput.Write

    private struct State {
        var waiting = 0
        /// Size of the messages of the waiting lines in bytes.
        var size = 0
        /// Number of dropped lines that are not reported in the log yet.
        var dropped = 0

        mutating func takeDropped() -> Int {
            defer { dropped = 0 }
            return dropped
        }
    }

    private let queue = DispatchQueue(label: "bgtask.log")
    private let state = Mutex(State())

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of waiting lines; further lines are dropped and counted.
    ///   - byteCapacity: the maximum size of their messages in bytes. One line is accepted whatever its size is.
    ///   - output: writes a line, and may block while its reader is slow. Called from one thread at a time.
    init(capacity: Int = 10_000, byteCapacity: Int = 8 << 20, output: @escaping LogOutput.Write) {
        (self.capacity, self.byteCapacity) = (capacity, byteCapacity)
        self.output = output
    }

    func write(_ line: LogLine) {
        let size = line.message.utf8.count
        let droppedBefore: Int? = state.withLock { state in
            if state.waiting >= capacity || state.waiting > 0 && state.size + size > byteCapacity {
                state.dropped += 1
                return nil
            }
            state.waiting += 1
            state.size += size
            return state.takeDropped()
        }
        guard let droppedBefore else { return }
        queue.async {
            self.announce(droppedBefore)
            if !self.output(line) { self.drop(1) }
            // Without a waiting line, no later line announces the dropped ones.
            let droppedAfter = self.state.withLock { state in
                state.waiting -= 1
                state.size -= size
                return state.waiting == 0 ? state.takeDropped() : 0
            }
            self.announce(droppedAfter)
        }
    }

    private func announce(_ dropped: Int) {
        if dropped == 0 { return }
        let message = "dropped log lines: \(dropped); the reader of the log is too slow"
        let line = LogLine(level: .warning, message: message, fields: [:], time: SystemClock().now().wall)
        // Announced again before the next line.
        if !output(line) { drop(dropped) }
    }

    private func drop(_ count: Int) { state.withLock { $0.dropped += count } }

    /// Blocks until the waiting lines are written, or the time has passed. Used at exit.
    func drain(within limit: DispatchTimeInterval = .seconds(1)) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + limit)
    }
}
