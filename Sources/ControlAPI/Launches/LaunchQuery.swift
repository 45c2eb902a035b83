// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The query of `GET /v1/launches`: launches of one plugin or of all, newest first.
package struct LaunchQuery: Hashable, Sendable {
    static let names = ["limit", "after", "plugin"]

    package var limit: Int
    /// The last launch of the previous page: this page contains only older launches. Nil for the first page.
    package var after: LaunchNumber?
    package let plugin: PluginIdentifier?

    package init(limit: Int = PageLimit.standard, after: LaunchNumber? = nil, plugin: PluginIdentifier? = nil) {
        self.limit = limit
        self.after = after
        self.plugin = plugin
    }

    package init(reading value: (String) -> String?) throws(RouteError) {
        limit = try PageLimit.read(value("limit"))
        after = try QueryValue.cursor(value("after")) { text in
            Int64(text).flatMap { $0 > 0 ? LaunchNumber(rawValue: $0) : nil }
        }
        plugin = try QueryValue.plugin(value("plugin"), named: "plugin")
    }

    package var items: [(name: String, value: String)] {
        let given: [(name: String, value: String?)] = [
            ("limit", "\(limit)"), ("after", after?.description), ("plugin", plugin?.text),
        ]
        return given.compactMap { name, value in value.map { (name, $0) } }
    }
}
