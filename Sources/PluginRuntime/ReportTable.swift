// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Rate limit for reports of which only the newest counts: a plugin may make a million reports in a second. The table
/// sends nothing and has no clock. When no report is held, no timer is needed.
package struct ReportTable<Key: Hashable, Report: Equatable> {
    /// Usual minimum time between two sent reports of one key. A report that `close` returns may follow earlier.
    package static var interval: Duration { .milliseconds(250) }

    private struct Entry {
        var sent: Report
        /// Time at which the last report was sent; nil for a report that the host had from the start.
        var sentAt: MonotonicTime?
        var waiting: Report?
        var interval = ReportTable.interval

        var due: MonotonicTime? {
            guard waiting != nil, let sentAt else { return nil }
            return sentAt + interval
        }
    }

    private var entries: [Key: Entry] = [:]
    /// Keys of held reports, in the order in which holding began.
    private var order: [Key] = []

    package init() {}

    package enum Verdict: Hashable, Sendable {
        case send
        /// Hold the report until it is due.
        ///
        /// - Parameter isFirst: whether no report was held before, so that the timer is not armed yet.
        case hold(isFirst: Bool)
        /// Drop the report, because the host already has an equal report, or the table holds one.
        case nothingNew
    }

    /// Records a report that the host already has, without sending it.
    package mutating func assume(_ report: Report, as key: Key) {
        entries[key] = Entry(sent: report)
    }

    /// Puts a report.
    ///
    /// - Parameter interval: minimum time between two sent reports of the key.
    package mutating func put(
        _ report: Report,
        as key: Key,
        every interval: Duration = Self.interval,
        at now: MonotonicTime
    ) -> Verdict {
        guard var entry = entries[key] else {
            entries[key] = Entry(sent: report, sentAt: now, interval: interval)
            return .send
        }
        defer { entries[key] = entry }
        if report == entry.sent {
            // Back at the value that was sent: the intermediate report is dropped.
            drop(key, &entry)
            return .nothingNew
        }
        if entry.waiting != nil {
            defer { entry.waiting = report }
            return entry.waiting == report ? .nothingNew : .hold(isFirst: false)
        }
        if let sentAt = entry.sentAt, now < sentAt + interval {
            entry.waiting = report
            order.append(key)
            return .hold(isFirst: order.count == 1)
        }
        entry.sent = report
        entry.sentAt = now
        return .send
    }

    /// Time at which the next held report is due; nil when none is held.
    package var due: MonotonicTime? { order.lazy.compactMap { entries[$0]?.due }.min() }

    package mutating func takeDue(at now: MonotonicTime) -> [Report] {
        order.filter { key in entries[key]?.due.map { $0 <= now } ?? false }.compactMap { take($0, at: now) }
    }

    /// Removes a key.
    ///
    /// - Returns: the held report of the key; nil when none is held.
    package mutating func close(_ key: Key) -> Report? {
        defer {
            entries[key] = nil
            order.removeAll { $0 == key }
        }
        return entries[key]?.waiting
    }

    package mutating func closeAll() -> [Report] {
        order.compactMap { close($0) }
    }

    private mutating func take(_ key: Key, at now: MonotonicTime) -> Report? {
        guard let entry = entries[key], let report = entry.waiting else { return nil }
        order.removeAll { $0 == key }
        entries[key] = Entry(sent: report, sentAt: now, interval: entry.interval)
        return report
    }

    private mutating func drop(_ key: Key, _ entry: inout Entry) {
        guard entry.waiting != nil else { return }
        entry.waiting = nil
        order.removeAll { $0 == key }
    }
}
