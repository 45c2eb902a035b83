// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import HostConfiguration
import LinuxSystem
import Logging
import Synchronization
import TaskModel

/// The logs of launches: the output of the plugin, in one file per launch. Lines are written on a queue of their own,
/// so that a slow disk never delays the decision loop. Safe to use from any thread.
final class LaunchLogs: Sendable {
    /// Maximum size of the waiting lines in bytes. Lines beyond it are dropped and counted.
    private let capacity: Int
    private let limits: LogLimits
    private let files: LogFiles
    private let now: @Sendable () -> WallTime
    private let queue = DispatchQueue(label: "bgtask.launch-logs", qos: .utility)
    private let inbox = Mutex(Inbox())
    /// Used only on `queue`.
    private let store: Mutex<LogStore>

    private struct Inbox {
        var lines: [UnwrittenLine] = []
        var size = 0
        var dropped: [LaunchNumber: (line: UnwrittenLine, count: Int)] = [:]
        /// Launches that have written a line and have not ended.
        var active: Set<LaunchNumber> = []
        var followers = 0

        mutating func take() -> (lines: [UnwrittenLine], dropped: [LaunchNumber: (line: UnwrittenLine, count: Int)]) {
            defer { (lines, size, dropped) = ([], 0, [:]) }
            return (lines, dropped)
        }
    }

    init(
        directory: String,
        limits: LogLimits = LogLimits(),
        capacity: Int = 8 << 20,
        now: @escaping @Sendable () -> WallTime = { SystemClock().now().wall },
        log: Logger
    ) {
        files = LogFiles(directory: directory)
        (self.limits, self.capacity, self.now) = (limits, capacity, now)
        store = Mutex(LogStore(files: files, limits: limits, log: log))
    }

    // MARK: Writing

    /// Adds a line to the log of a launch.
    ///
    /// - Parameters:
    ///   - task: the task identifier or the name of an event; nil for a line about the launch.
    ///   - tasks: the tasks that the launch has received so far.
    func write(
        _ text: String,
        _ level: LogLevel,
        _ stream: LogStream,
        task: String?,
        of launch: LaunchNumber,
        _ plugin: PluginIdentifier,
        tasks: [String]
    ) {
        if limits.isOff { return }
        let line = UnwrittenLine(
            at: now(),
            plugin: plugin,
            launch: launch,
            level: level,
            stream: stream,
            task: task,
            tasks: tasks,
            text: text
        )
        let isFirst = inbox.withLock { inbox in
            let isFirst = inbox.lines.isEmpty
            inbox.active.insert(launch)
            if !isFirst, inbox.size + text.utf8.count > capacity {
                inbox.dropped[launch] = (line, (inbox.dropped[launch]?.count ?? 0) + 1)
                return false
            }
            inbox.lines.append(line)
            inbox.size += text.utf8.count
            return isFirst
        }
        if isFirst { queue.async { self.drain() } }
    }

    private func drain() {
        let (lines, dropped) = inbox.withLock { $0.take() }
        store.withLock { $0.write(lines, dropped: dropped) }
    }

    /// Ends the log of a launch: its followers receive no further line.
    func ended(_ launch: LaunchNumber) {
        let isKnown = inbox.withLock { $0.active.remove(launch) != nil || $0.followers > 0 }
        if isKnown { queue.async { self.store.withLock { $0.end(launch) } } }
    }

    /// Blocks until the waiting lines are written, for at most a second. Used at exit.
    func flush() {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + .seconds(1))
    }

    // MARK: Deleting

    /// Deletes all logs of a plugin. Returns their number.
    func delete(of plugin: PluginIdentifier) async -> Int { await onQueue { $0.delete(of: plugin) } }

    /// Deletes the logs of ended launches whose last line is older than the retention.
    func prune() async {
        let now = now()
        await onQueue { $0.prune(at: now) }
    }

    // MARK: Reading

    /// The newest selected lines that were written so far, oldest first.
    func newest(_ selection: LogSelection, on threads: DiskThreads) async throws -> [LogEntry] {
        let snapshot = await onQueue { $0.snapshot() }
        return try await threads.run { [files] in snapshot.newest(selection, in: files) }
    }

    /// Passes all lines that are written from now on to the follower. Returns the logs that exist before these lines.
    func follow(_ follower: LogFollower) async -> LogSnapshot {
        inbox.withLock { $0.followers += 1 }
        return await onQueue { $0.follow(follower) }
    }

    func unfollow(_ follower: LogFollower) {
        inbox.withLock { $0.followers -= 1 }
        queue.async { self.store.withLock { $0.unfollow(follower) } }
    }

    /// The newest selected lines of a snapshot, oldest first.
    func newest(
        _ selection: LogSelection,
        of snapshot: LogSnapshot,
        on threads: DiskThreads
    ) async throws -> [LogEntry] {
        try await threads.run { [files] in snapshot.newest(selection, in: files) }
    }

    private func onQueue<Value: Sendable>(_ body: @escaping @Sendable (inout LogStore) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.store.withLock { body(&$0) }) }
        }
    }
}
