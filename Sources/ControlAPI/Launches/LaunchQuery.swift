// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Which launches `GET /v1/launches` lists: the newest `limit`, of one plugin or of all.
package struct LaunchQuery: Hashable, Sendable {
    package static let limits = 1...10_000
    static let names = ["limit", "plugin"]

    package let limit: Int
    package let plugin: PluginIdentifier?

    package init(limit: Int = 50, plugin: PluginIdentifier? = nil) {
        self.limit = limit
        self.plugin = plugin
    }

    package init(reading value: (String) -> String?) throws(ControlRefusal) {
        limit = try QueryValue.whole(value("limit"), named: "limit", in: Self.limits) ?? 50
        plugin = try QueryValue.plugin(value("plugin"), named: "plugin")
    }

    var items: [(name: String, value: String)] {
        [("limit", "\(limit)")] + (plugin.map { [("plugin", $0.text)] } ?? [])
    }
}
