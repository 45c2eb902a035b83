// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Limits the messages to one per plugin and interval: the first alert is passed on at once, and the later ones of the
/// interval at its end, in one message with their number.
struct AlertLimiter: Codable, Hashable {
    /// Maximum number of collected alerts that a message contains. Older ones are only counted.
    static let most = 20

    /// The alerts of one message.
    struct Group: Codable, Hashable {
        var alerts: [Alert] = []
        var count = 0

        mutating func add(_ alert: Alert) {
            alerts = alerts.suffix(AlertLimiter.most - 1) + [alert]
            count += 1
        }
    }

    private struct Window: Codable, Hashable {
        /// End of the interval, in nanoseconds since 1970.
        var end: Int64
        var collected = Group()
    }

    /// The present intervals, by plugin; the key of the host is empty.
    private var windows: [String: Window] = [:]

    /// The end of the first interval; nil without any.
    var next: WallTime? { windows.values.map(\.end).min().map(WallTime.init(nanoseconds:)) }

    /// Adds an alert. Returns the group to report at once; nil when it is collected.
    mutating func add(_ alert: Alert, every interval: Duration, at now: WallTime) -> Group? {
        let key = alert.plugin ?? ""
        if windows[key] != nil {
            windows[key]?.collected.add(alert)
            return nil
        }
        windows[key] = Window(end: (now + interval).nanoseconds)
        var group = Group()
        group.add(alert)
        return group
    }

    /// Ends the intervals that have passed. Returns their collected alerts, each of which begins a new interval.
    mutating func collect(every interval: Duration, at now: WallTime) -> [Group] {
        var groups: [Group] = []
        for key in windows.keys.sorted() {
            guard let window = windows[key] else { continue }
            // A clock that was ahead does not delay a message by more than an interval.
            if window.end > (now + interval).nanoseconds { windows[key]?.end = (now + interval).nanoseconds }
            guard window.end <= now.nanoseconds else { continue }
            windows[key] = nil
            if window.collected.count == 0 { continue }
            groups.append(window.collected)
            windows[key] = Window(end: (now + interval).nanoseconds)
        }
        return groups
    }
}
