// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The query of `GET /v1/journal`. It selects entries that match `filter`, always oldest first.
///
/// With `after`, the answer has the first `limit` entries after that number. Without it, the answer has the newest
/// `limit` entries. `before` excludes the entry with that number and all newer ones. With `isFollowing` the answer is a
/// stream of lines, with all entries after `after`, or without it all new entries; `limit` and `before` then have no
/// effect.
package struct JournalQuery: Hashable, Sendable {
    static let names = [
        "after", "before", "limit", "follow", "plugin", "launch", "identifier", "event", "blame", "since",
        "claims",
    ]

    package let after: Int64?
    package let before: Int64?
    package let limit: Int
    package let isFollowing: Bool
    package let filter: JournalFilter

    package init(
        after: Int64? = nil,
        before: Int64? = nil,
        limit: Int = PageLimit.standard,
        isFollowing: Bool = false,
        filter: JournalFilter = JournalFilter()
    ) {
        self.after = after
        self.before = before
        self.limit = limit
        self.isFollowing = isFollowing
        self.filter = filter
    }

    /// Reads the query from its parameters. Throws a `RouteError` for an invalid value.
    ///
    /// - Parameter now: the present time, from which a `since` that is a duration counts back.
    package init(reading value: (String) -> String?, now: WallTime) throws(RouteError) {
        after = try QueryValue.whole(value("after"), named: "after", in: 0...Int64.max)
        before = try QueryValue.whole(value("before"), named: "before", in: 1...Int64.max)
        limit = try PageLimit.read(value("limit"))
        isFollowing = try QueryValue.boolean(value("follow"), named: "follow") ?? false
        let events = try QueryValue.words(value("event"), named: "event", among: JournalEntry.Event.allCases, \.name)
        let blame = try QueryValue.word(value("blame"), named: "blame", among: Blame.allCases, \.rawValue)
        filter = JournalFilter(
            plugin: try QueryValue.plugin(value("plugin"), named: "plugin"),
            launch: try QueryValue.whole(value("launch"), named: "launch", in: 1...Int64.max)
                .map(LaunchNumber.init(rawValue:)),
            label: try QueryValue.task(value("identifier"), named: "identifier")?.text,
            events: Set(events ?? []),
            blame: blame,
            since: try QueryValue.since(value("since"), named: "since", now: now),
            hasClaim: try QueryValue.boolean(value("claims"), named: "claims") ?? false
        )
    }

    package var items: [(name: String, value: String)] {
        let events = filter.events.map(\.name).sorted().joined(separator: ",")
        let given: [(name: String, value: String?)] = [
            ("after", after?.description), ("before", before?.description),
            isFollowing ? ("follow", "true") : ("limit", "\(limit)"),
            ("plugin", filter.plugin?.text),
            ("launch", filter.launch?.description),
            ("identifier", filter.label),
            ("event", events.isEmpty ? nil : events),
            ("blame", filter.blame?.rawValue),
            ("since", filter.since.map { Timestamp($0).description }),
            ("claims", filter.hasClaim ? "true" : nil),
        ]
        return given.compactMap { name, value in value.map { (name, $0) } }
    }
}
