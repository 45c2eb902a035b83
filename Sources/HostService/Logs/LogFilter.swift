// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel

/// The log lines that a caller selects. Nil selects any value.
struct LogFilter: Hashable, Sendable {
    var plugin: PluginIdentifier?
    var launch: LaunchNumber?
    /// A task identifier, or the name of an event. The lines of other tasks are excluded; lines without a task belong
    /// to all tasks of their launch.
    var task: String?
    /// The lowest level.
    var level: LogLevel?
    var since: WallTime?
    var until: WallTime?
    /// A text that the line contains; capital and small letters are equal.
    var text: String?

    func selects(_ record: LogRecord) -> Bool {
        if let level, record.level < level { return false }
        if let since, record.at < since { return false }
        if let until, record.at > until { return false }
        if let task, let own = record.task, own != task { return false }
        if let text, !record.text.lowercased().contains(text.lowercased()) { return false }
        return true
    }
}

/// A page of log lines to read.
struct LogSelection: Hashable, Sendable {
    var filter: LogFilter
    /// The launches whose lines are selected; nil for all that the filter permits.
    var launches: Set<LaunchNumber>?
    /// Only lines before this position; nil for no bound.
    var before: LogPosition?
    var limit: Int
}

/// The logs that exist at one moment.
struct LogSnapshot: Sendable {
    let logs: [LogIndex.Log]
    /// Number of lines so far of each launch that may write more.
    let written: [LaunchNumber: Int64]

    /// The newest selected lines, oldest first. Reads only as many files as needed. Blocks on the disk.
    func newest(_ selection: LogSelection, in files: LogFiles) -> [LogEntry] {
        var found: [LogEntry] = []
        let candidates = logs.filter { selection.permits($0) }.sorted { ($0.last, $0.launch) > ($1.last, $1.launch) }
        for log in candidates {
            if let since = selection.filter.since, log.last < since { break }
            if found.count >= selection.limit, let oldest = found.first, oldest.record.at > log.last { break }
            let most = written[log.launch] ?? .max
            for record in files.records(of: log) where record.number <= most && selection.filter.selects(record) {
                let entry = LogEntry(plugin: log.plugin, launch: log.launch, record: record)
                if let before = selection.before, entry.position >= before { continue }
                found.append(entry)
            }
            found.sort { $0.position < $1.position }
            found.removeFirst(max(0, found.count - selection.limit))
        }
        return found
    }
}

extension LogSelection {
    fileprivate func permits(_ log: LogIndex.Log) -> Bool {
        if let plugin = filter.plugin, log.plugin != plugin { return false }
        if let launch = filter.launch, log.launch != launch { return false }
        return launches?.contains(log.launch) ?? true
    }
}
