// Part of bgtask, under the Apache License 2.0; see LICENSE.

import DequeModule
import HostConfiguration
import TaskModel

/// The sizes and times of all log files. They determine the files to delete, so that the disk is not read for it.
struct LogIndex {
    /// The log of one launch: its current file, and the earlier one with its older lines.
    struct Log: Hashable, Sendable {
        let plugin: PluginIdentifier
        let launch: LaunchNumber
        var current: Int64 = 0
        var earlier: Int64 = 0
        /// Time of the last line.
        var last: WallTime

        /// Size of the files on the disk, in whole blocks.
        var size: Int64 { Self.onDisk(current) + Self.onDisk(earlier) }

        private static func onDisk(_ bytes: Int64) -> Int64 { (bytes + 4_095) / 4_096 * 4_096 }
    }

    private struct Share {
        /// Launches in the order of their first lines.
        var launches: Deque<LaunchNumber> = []
        var size: Int64 = 0
    }

    private(set) var logs: [LaunchNumber: Log] = [:]
    private var shares: [PluginIdentifier: Share] = [:]
    /// Launches in the order of their first lines, including launches whose log was deleted since the last compaction.
    private var order: Deque<LaunchNumber> = []
    private(set) var size: Int64 = 0

    subscript(launch: LaunchNumber) -> Log? { logs[launch] }

    func launches(of plugin: PluginIdentifier) -> [LaunchNumber] { shares[plugin].map { Array($0.launches) } ?? [] }

    /// Adds a log, or replaces the values of an existing one.
    mutating func set(_ log: Log) {
        if let known = logs.updateValue(log, forKey: log.launch) {
            size -= known.size
            shares[log.plugin]?.size -= known.size
        } else {
            order.append(log.launch)
            shares[log.plugin, default: Share()].launches.append(log.launch)
        }
        size += log.size
        shares[log.plugin]?.size += log.size
    }

    @discardableResult
    mutating func remove(_ launch: LaunchNumber) -> Log? {
        guard let log = logs.removeValue(forKey: launch) else { return nil }
        size -= log.size
        var share = shares.removeValue(forKey: log.plugin) ?? Share()
        share.size -= log.size
        if share.launches.first == launch {
            share.launches.removeFirst()
        } else {
            share.launches.removeAll { $0 == launch }
        }
        if !share.launches.isEmpty { shares[log.plugin] = share }
        if order.count > 2 * logs.count + 64 { order.removeAll { logs[$0] == nil } }
        return log
    }

    /// Removes and returns the logs beyond the limits of the plugin and of all logs, oldest first.
    ///
    /// - Parameter written: the launch whose log has just grown; its log is kept.
    mutating func removeExcess(
        of plugin: PluginIdentifier,
        keeping written: LaunchNumber,
        _ limits: LogLimits
    ) -> [Log] {
        var excess: [Log] = []
        while let share = shares[plugin], share.size > limits.plugin,
            let oldest = share.launches.first(where: { $0 != written })
        {
            if let log = remove(oldest) { excess.append(log) }
        }
        while size > limits.total, let oldest = order.first(where: { $0 != written && logs[$0] != nil }) {
            if let log = remove(oldest) { excess.append(log) }
            while let first = order.first, logs[first] == nil { order.removeFirst() }
        }
        return excess
    }

    /// The launches whose last line is older than `time`.
    func launches(before time: WallTime) -> [LaunchNumber] { logs.values.filter { $0.last < time }.map(\.launch) }
}
