// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Which entries `GET /v1/journal` gives, always oldest first.
///
/// Without `after`, the newest `limit`; with it, the first `limit` that follow that number. With `isFollowing` the
/// answer is a stream of lines: all that follow `after` (without it, all from now on), whatever `limit` says.
package struct JournalQuery: Hashable, Sendable {
    package static let limits = 1...10_000

    package let after: Int64?
    package let limit: Int
    package let isFollowing: Bool

    package init(after: Int64? = nil, limit: Int = 50, isFollowing: Bool = false) {
        self.after = after
        self.limit = limit
        self.isFollowing = isFollowing
    }

    package init(reading value: (String) -> String?) throws(ControlRefusal) {
        after = try QueryValue.whole(value("after"), named: "after", in: 0...Int64.max)
        limit = try QueryValue.whole(value("limit"), named: "limit", in: Self.limits) ?? 50
        isFollowing = try QueryValue.boolean(value("follow"), named: "follow") ?? false
    }

    var items: [(name: String, value: String)] {
        var items: [(name: String, value: String)] = after.map { [("after", "\($0)")] } ?? []
        items.append(isFollowing ? ("follow", "true") : ("limit", "\(limit)"))
        return items
    }
}
