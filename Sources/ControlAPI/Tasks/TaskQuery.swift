// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The query of `GET /v1/tasks`: a page of the waiting work, and the running tasks whose place is after `after`.
package struct TaskQuery: Hashable, Sendable {
    static let names = ["limit", "after", "plugin", "kind"]

    /// Maximum number of pending requests and waiting events in the page. Running tasks do not count.
    package var limit: Int
    /// The position at which the previous page ended; nil for the first page, which has all running tasks.
    package var after: WorkCursor?
    package let plugin: PluginIdentifier?
    /// The kinds of work to list; empty for every kind.
    package let kinds: Set<TaskKind>

    package init(
        limit: Int = PageLimit.standard,
        after: WorkCursor? = nil,
        plugin: PluginIdentifier? = nil,
        kinds: Set<TaskKind> = []
    ) {
        self.limit = limit
        self.after = after
        self.plugin = plugin
        self.kinds = kinds
    }

    package init(reading value: (String) -> String?) throws(RouteError) {
        limit = try PageLimit.read(value("limit"))
        after = try QueryValue.cursor(value("after"), WorkCursor.init(text:))
        plugin = try QueryValue.plugin(value("plugin"), named: "plugin")
        kinds = Set(try QueryValue.words(value("kind"), named: "kind", among: TaskKind.allCases, \.name) ?? [])
    }

    package var items: [(name: String, value: String)] {
        let kinds = kinds.isEmpty ? nil : TaskKind.allCases.filter(kinds.contains).map(\.name).joined(separator: ",")
        let given: [(name: String, value: String?)] = [
            ("limit", "\(limit)"), ("after", after?.text), ("plugin", plugin?.text), ("kind", kinds),
        ]
        return given.compactMap { name, value in value.map { (name, $0) } }
    }
}
