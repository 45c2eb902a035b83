// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The query of `GET /v1/stats`.
package struct StatsQuery: Hashable, Sendable {
    static let names = ["plugin", "since"]

    /// Maximum number of named plugins.
    package static let mostPlugins = 100
    /// The time before now from which launches count without `since`.
    package static let standard: Duration = .seconds(7 * 24 * 60 * 60)

    /// The plugins whose statistics are returned; empty for all.
    package let plugins: [PluginIdentifier]
    /// Launches that ended before this time do not count.
    package let since: WallTime

    package init(plugins: [PluginIdentifier] = [], since: WallTime) {
        self.plugins = plugins
        self.since = since
    }

    /// - Parameter now: the present time, from which a `since` that is a duration counts back.
    package init(reading value: (String) -> String?, now: WallTime) throws(RouteError) {
        plugins = try QueryValue.plugins(value("plugin"), named: "plugin", atMost: Self.mostPlugins)
        since = try QueryValue.since(value("since"), named: "since", now: now) ?? now + (.zero - Self.standard)
    }

    package var items: [(name: String, value: String)] {
        let names = plugins.map(\.text).joined(separator: ",")
        return (names.isEmpty ? [] : [("plugin", names)]) + [("since", Timestamp(since).description)]
    }
}
