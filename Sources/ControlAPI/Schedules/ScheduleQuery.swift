// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The query of `GET /v1/schedules`: a page of the schedules, ordered by their next occurrence.
package struct ScheduleQuery: Hashable, Sendable {
    static let names = ["limit", "after", "plugin"]

    package var limit: Int
    /// The position at which the previous page ended; nil for the first page.
    package var after: ScheduleCursor?
    /// The plugin whose schedules are listed; nil for every plugin.
    package let plugin: PluginIdentifier?

    package init(limit: Int = PageLimit.standard, after: ScheduleCursor? = nil, plugin: PluginIdentifier? = nil) {
        self.limit = limit
        self.after = after
        self.plugin = plugin
    }

    package init(reading value: (String) -> String?) throws(RouteError) {
        limit = try PageLimit.read(value("limit"))
        after = try QueryValue.cursor(value("after"), ScheduleCursor.init(text:))
        plugin = try QueryValue.plugin(value("plugin"), named: "plugin")
    }

    package var items: [(name: String, value: String)] {
        let given: [(name: String, value: String?)] = [
            ("limit", "\(limit)"), ("after", after?.text), ("plugin", plugin?.text),
        ]
        return given.compactMap { name, value in value.map { (name, $0) } }
    }
}

/// A position in the list of schedules, which is ordered by the next occurrence, then by plugin and identifier.
/// Schedules without a next occurrence come last.
package struct ScheduleCursor: Hashable, Comparable, Sendable {
    package let next: WallTime?
    package let plugin: PluginIdentifier
    package let identifier: TaskIdentifier

    package init(next: WallTime?, plugin: PluginIdentifier, identifier: TaskIdentifier) {
        self.next = next
        self.plugin = plugin
        self.identifier = identifier
    }

    package var text: String { "\(next.map { "\($0.nanoseconds)" } ?? "")/\(plugin)/\(identifier)" }

    /// Parses a cursor; nil when `text` is not a cursor.
    package init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let plugin = PluginIdentifier(parts[1]), let identifier = TaskIdentifier(parts[2])
        else { return nil }
        var next: WallTime?
        if !parts[0].isEmpty {
            guard let nanoseconds = Int64(parts[0]) else { return nil }
            next = WallTime(nanoseconds: nanoseconds)
        }
        self.init(next: next, plugin: plugin, identifier: identifier)
    }

    package static func < (left: Self, right: Self) -> Bool {
        switch (left.next, right.next) {
        case (nil, nil): return (left.plugin, left.identifier) < (right.plugin, right.identifier)
        case (nil, _): return false
        case (_, nil): return true
        case (let one?, let other?):
            return (one, left.plugin, left.identifier) < (other, right.plugin, right.identifier)
        }
    }
}
