// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskModel

/// A caller that receives new log lines. Lines beyond its buffer are dropped, because a slow caller must not delay the
/// writing of logs; a line with their number follows.
final class LogFollower: Sendable {
    /// Number of lines that wait for a slow caller.
    static let capacity = 4_096
    /// Size of these lines in bytes: a plugin decides how long they are.
    static let byteCapacity = 8 << 20

    private struct Buffer {
        var size = 0
        var dropped = 0
    }

    let filter: LogFilter
    private let lines: AsyncStream<LogEntry>
    private let continuation: AsyncStream<LogEntry>.Continuation
    private let byteCapacity: Int
    private let buffer = Mutex(Buffer())

    init(
        _ filter: LogFilter,
        capacity: Int = LogFollower.capacity,
        byteCapacity: Int = LogFollower.byteCapacity
    ) {
        self.filter = filter
        self.byteCapacity = byteCapacity
        (lines, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(capacity))
    }

    /// The lines for the caller. Each one leaves the buffer when it is taken.
    var entries: AsyncMapSequence<AsyncStream<LogEntry>, LogEntry> {
        lines.map { [self] entry in
            buffer.withLock { $0.size -= entry.size }
            return entry
        }
    }

    /// Passes a line to the caller if its filter selects the line.
    ///
    /// - Parameter tasks: the tasks of the launch.
    func offer(_ entry: LogEntry, tasks: [String]) {
        if let plugin = filter.plugin, plugin != entry.plugin { return }
        if let launch = filter.launch, launch != entry.launch { return }
        if let task = filter.task, !tasks.contains(task) { return }
        guard filter.selects(entry.record) else { return }
        buffer.withLock { buffer in
            if buffer.dropped > 0, yields(Self.remark(on: buffer.dropped, before: entry), &buffer) {
                buffer.dropped = 0
            }
            if buffer.dropped > 0 || !yields(entry, &buffer) { buffer.dropped += 1 }
        }
    }

    func finish() { continuation.finish() }

    private func yields(_ entry: LogEntry, _ buffer: inout Buffer) -> Bool {
        guard buffer.size == 0 || buffer.size + entry.size <= byteCapacity else { return false }
        if case .dropped = continuation.yield(entry) { return false }
        buffer.size += entry.size
        return true
    }

    private static func remark(on dropped: Int, before entry: LogEntry) -> LogEntry {
        let record = LogRecord(
            at: entry.record.at,
            number: entry.record.number,
            .warning,
            .host,
            task: nil,
            text: "lines left out: \(dropped); this reader is too slow, read the log again without following it"
        )
        return LogEntry(plugin: entry.plugin, launch: entry.launch, record: record)
    }
}

extension LogEntry {
    fileprivate var size: Int { record.text.utf8.count }
}
