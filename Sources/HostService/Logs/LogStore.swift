// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import LinuxSystem
import Logging
import TaskModel

/// A line of a launch that is not in its log file yet.
struct UnwrittenLine: Sendable {
    let at: WallTime
    let plugin: PluginIdentifier
    let launch: LaunchNumber
    let level: LogLevel
    let stream: LogStream
    let task: String?
    /// The tasks that the launch has received so far.
    let tasks: [String]
    let text: String
}

/// Writes log lines to their files, deletes files beyond the limits, and passes new lines to their followers. One
/// thread at a time uses it, and it blocks on the disk.
struct LogStore {
    /// The state of a launch that has written lines and may write more.
    private struct Writer {
        var lines: Int64 = 0
        var last: WallTime
        var tasks: [String] = []
        /// Number of lines that were not kept since the last written one.
        var lost = 0
    }

    let files: LogFiles
    let limits: LogLimits
    let log: Logger
    private var index = LogIndex()
    private var writers: [LaunchNumber: Writer] = [:]
    private var followers: [LogFollower] = []
    private var isSurveyed = false
    private var isFailing = false

    init(files: LogFiles, limits: LogLimits, log: Logger) {
        (self.files, self.limits, self.log) = (files, limits, log)
    }

    // MARK: Writing

    /// Writes lines of several launches in the order of their arrival.
    ///
    /// - Parameter dropped: the number of lines that were dropped before they came here, by launch, with the last one.
    mutating func write(_ lines: [UnwrittenLine], dropped: [LaunchNumber: (line: UnwrittenLine, count: Int)]) {
        survey()
        var launches: [LaunchNumber] = []
        var groups: [LaunchNumber: [UnwrittenLine]] = [:]
        for line in lines {
            if groups[line.launch] == nil { launches.append(line.launch) }
            groups[line.launch, default: []].append(line)
        }
        for launch in launches {
            append(groups[launch] ?? [], of: launch)
            if let (line, count) = dropped[launch] { lose(count, of: line) }
        }
        for (launch, (line, count)) in dropped where groups[launch] == nil { lose(count, of: line) }
    }

    private mutating func lose(_ count: Int, of line: UnwrittenLine) {
        begin(line)
        writers[line.launch]?.lost += count
    }

    /// Begins the log of a launch with its first line. A log with the same number is one of an earlier ledger.
    private mutating func begin(_ line: UnwrittenLine) {
        if writers[line.launch] != nil { return }
        writers[line.launch] = Writer(last: line.at)
        if let stale = index.remove(line.launch) { delete(stale) }
    }

    private mutating func append(_ lines: [UnwrittenLine], of launch: LaunchNumber) {
        guard let first = lines.first else { return }
        begin(first)
        guard var writer = writers[launch] else { return }
        var records: [LogRecord] = []
        for line in lines {
            writer.last = max(writer.last, line.at)
            writer.tasks = line.tasks
            if writer.lost > 0 { records.append(Self.remark(on: &writer)) }
            writer.lines += 1
            records.append(
                LogRecord(
                    at: writer.last,
                    number: writer.lines,
                    line.level,
                    line.stream,
                    task: line.task,
                    text: line.text
                )
            )
        }
        writer.lost += keep(records, of: first.plugin, launch)
        writers[launch] = writer
        for follower in followers {
            for record in records {
                follower.offer(LogEntry(plugin: first.plugin, launch: launch, record: record), tasks: writer.tasks)
            }
        }
    }

    /// The line about the lost lines of a launch.
    private static func remark(on writer: inout Writer) -> LogRecord {
        writer.lines += 1
        defer { writer.lost = 0 }
        let text = "lines not kept: \(writer.lost); the disk was too slow or full"
        return LogRecord(at: writer.last, number: writer.lines, .warning, .host, task: nil, text: text)
    }

    /// Appends records to the files of a launch. Returns the number of records that could not be written.
    private mutating func keep(
        _ records: [LogRecord],
        of plugin: PluginIdentifier,
        _ launch: LaunchNumber
    ) -> Int {
        let half = limits.launchInForce / 2
        guard let last = records.last?.at else { return 0 }
        var log = index[launch] ?? LogIndex.Log(plugin: plugin, launch: launch, last: last)
        log.last = last
        var bytes: [UInt8] = []
        var (waiting, kept) = (0, 0)
        do throws(SystemError) {
            for record in records {
                let line = Array(record.line.utf8)
                if log.current + Int64(bytes.count + line.count) > half, log.current + Int64(bytes.count) > 0 {
                    try flush(&bytes, to: &log)
                    (kept, waiting) = (kept + waiting, 0)
                    try files.rotate(log)
                    (log.earlier, log.current) = (log.current, 0)
                }
                bytes += line
                waiting += 1
            }
            try flush(&bytes, to: &log)
            kept += waiting
            isFailing = false
        } catch {
            report(error)
        }
        if log.size > 0 { index.set(log) }
        for excess in index.removeExcess(of: plugin, keeping: launch, limits) { delete(excess) }
        return records.count - kept
    }

    private func flush(_ bytes: inout [UInt8], to log: inout LogIndex.Log) throws(SystemError) {
        if bytes.isEmpty { return }
        try files.append(bytes, to: log, size: log.current)
        log.current += Int64(bytes.count)
        bytes = []
    }

    private mutating func report(_ error: SystemError) {
        if isFailing { return }
        isFailing = true
        log.error("log lines of launches are not kept: \(error); free space in the state directory")
    }

    // MARK: The end of a launch

    mutating func end(_ launch: LaunchNumber) {
        writers[launch] = nil
        followers.removeAll { follower in
            guard follower.filter.launch == launch else { return false }
            follower.finish()
            return true
        }
    }

    // MARK: Deleting

    /// Deletes all logs of a plugin. Returns their number.
    mutating func delete(of plugin: PluginIdentifier) -> Int {
        survey()
        let launches = index.launches(of: plugin)
        for log in launches.compactMap({ index.remove($0) }) { delete(log) }
        return launches.count
    }

    /// Deletes the logs of ended launches whose last line is older than the retention.
    mutating func prune(at now: WallTime) {
        survey()
        for launch in index.launches(before: now + (.zero - limits.retention)) where writers[launch] == nil {
            if let log = index.remove(launch) { delete(log) }
        }
    }

    private func delete(_ excess: LogIndex.Log) {
        do throws(SystemError) {
            try files.delete(excess)
        } catch {
            log.warning("log not deleted: \(error); delete the file yourself")
        }
    }

    // MARK: Reading

    /// The logs that exist now.
    mutating func snapshot() -> LogSnapshot {
        survey()
        return LogSnapshot(logs: Array(index.logs.values), written: writers.mapValues(\.lines))
    }

    /// The logs that exist now; the follower receives every later line.
    mutating func follow(_ follower: LogFollower) -> LogSnapshot {
        followers.append(follower)
        return snapshot()
    }

    mutating func unfollow(_ follower: LogFollower) { followers.removeAll { $0 === follower } }

    /// Reads the sizes of existing logs, once.
    private mutating func survey() {
        if isSurveyed { return }
        isSurveyed = true
        for log in files.survey() { index.set(log) }
    }
}
