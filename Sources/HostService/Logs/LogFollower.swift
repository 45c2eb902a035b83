// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import TaskModel

/// A caller that receives new log lines. Lines beyond its buffer are dropped, because a slow caller must not delay the
/// writing of logs; a line with their number follows.
final class LogFollower: Sendable {
    /// Number of lines that wait for a slow caller.
    static let capacity = 4_096

    let filter: LogFilter
    let entries: AsyncStream<LogEntry>
    private let continuation: AsyncStream<LogEntry>.Continuation
    private let dropped = Mutex(0)

    init(_ filter: LogFilter, capacity: Int = LogFollower.capacity) {
        self.filter = filter
        (entries, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(capacity))
    }

    /// Passes a line to the caller if its filter selects the line.
    ///
    /// - Parameter tasks: the tasks of the launch.
    func offer(_ entry: LogEntry, tasks: [String]) {
        if let plugin = filter.plugin, plugin != entry.plugin { return }
        if let launch = filter.launch, launch != entry.launch { return }
        if let task = filter.task, !tasks.contains(task) { return }
        guard filter.selects(entry.record) else { return }
        dropped.withLock { dropped in
            if dropped > 0, yields(Self.remark(on: dropped, before: entry)) { dropped = 0 }
            if dropped > 0 || !yields(entry) { dropped += 1 }
        }
    }

    func finish() { continuation.finish() }

    private func yields(_ entry: LogEntry) -> Bool {
        if case .dropped = continuation.yield(entry) { false } else { true }
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
