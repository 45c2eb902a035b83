// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The query of `GET /v1/logs`: the newest `limit` lines that match every filter, oldest first.
///
/// `before` excludes the line at that position and all newer ones. With `isFollowing` the answer is a stream that
/// begins with these lines and continues with all new ones; `before` then has no effect.
package struct LogQuery: Hashable, Sendable {
    static let names = [
        "limit", "before", "follow", "plugin", "launch", "identifier", "previous", "level", "since", "until", "grep",
    ]

    package var limit: Int
    package var before: LogPosition?
    package var isFollowing: Bool
    package var plugin: PluginIdentifier?
    package var launch: LaunchNumber?
    /// A task, whose launches are selected, or a plugin.
    package var identifier: TaskIdentifier?
    /// Whether only the launch before the newest selected one is read.
    package var isPrevious: Bool
    /// The lowest level; nil for every level.
    package var level: LogLevel?
    package var since: WallTime?
    package var until: WallTime?
    /// A text that the lines contain; capital and small letters are equal.
    package var text: String?

    package init(
        limit: Int = PageLimit.standard,
        before: LogPosition? = nil,
        isFollowing: Bool = false,
        plugin: PluginIdentifier? = nil,
        launch: LaunchNumber? = nil,
        identifier: TaskIdentifier? = nil,
        isPrevious: Bool = false,
        level: LogLevel? = nil,
        since: WallTime? = nil,
        until: WallTime? = nil,
        text: String? = nil
    ) {
        self.limit = limit
        self.before = before
        self.isFollowing = isFollowing
        self.plugin = plugin
        self.launch = launch
        self.identifier = identifier
        self.isPrevious = isPrevious
        self.level = level
        self.since = since
        self.until = until
        self.text = text
    }

    /// Reads the query from its parameters. Throws a `RouteError` for an invalid value.
    ///
    /// - Parameter now: the present time, from which a `since` or `until` that is a duration counts back.
    package init(reading value: (String) -> String?, now: WallTime) throws(RouteError) {
        limit = try PageLimit.read(value("limit"))
        before = try QueryValue.cursor(value("before"), named: "before", LogPosition.init(text:))
        isFollowing = try QueryValue.boolean(value("follow"), named: "follow") ?? false
        plugin = try QueryValue.plugin(value("plugin"), named: "plugin")
        launch = try QueryValue.whole(value("launch"), named: "launch", in: 1...Int64.max)
            .map(LaunchNumber.init(rawValue:))
        identifier = try QueryValue.task(value("identifier"), named: "identifier")
        isPrevious = try QueryValue.boolean(value("previous"), named: "previous") ?? false
        level = try QueryValue.word(value("level"), named: "level", among: LogLevel.allCases, \.name)
        since = try QueryValue.since(value("since"), named: "since", now: now)
        until = try QueryValue.since(value("until"), named: "until", now: now)
        text = value("grep")
    }

    package var items: [(name: String, value: String)] {
        let given: [(name: String, value: String?)] = [
            ("limit", "\(limit)"), ("before", before?.text), ("follow", isFollowing ? "true" : nil),
            ("plugin", plugin?.text), ("launch", launch?.description), ("identifier", identifier?.text),
            ("previous", isPrevious ? "true" : nil), ("level", level?.name),
            ("since", since.map { Timestamp($0).description }), ("until", until.map { Timestamp($0).description }),
            ("grep", text),
        ]
        return given.compactMap { name, value in value.map { (name, $0) } }
    }
}
