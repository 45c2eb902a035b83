// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The query of `GET /v1/notifications`, always oldest first.
///
/// With `after`, the answer has the first `limit` notifications after that number. Without it, the answer has the
/// newest `limit` notifications. With `isFollowing` the answer is a stream of lines, with all notifications after `after`, or
/// without it all new ones; `limit` then has no effect.
package struct NotificationQuery: Hashable, Sendable {
    static let names = ["after", "limit", "follow"]

    package let after: Int64?
    package let limit: Int
    package let isFollowing: Bool

    package init(after: Int64? = nil, limit: Int = PageLimit.standard, isFollowing: Bool = false) {
        (self.after, self.limit, self.isFollowing) = (after, limit, isFollowing)
    }

    /// Reads the query from its parameters. Throws a `RouteError` for an invalid value.
    package init(reading value: (String) -> String?) throws(RouteError) {
        after = try QueryValue.whole(value("after"), named: "after", in: 0...Int64.max)
        limit = try PageLimit.read(value("limit"))
        isFollowing = try QueryValue.boolean(value("follow"), named: "follow") ?? false
    }

    package var items: [(name: String, value: String)] {
        let first = after.map { [(name: "after", value: "\($0)")] } ?? []
        return first + [isFollowing ? (name: "follow", value: "true") : (name: "limit", value: "\(limit)")]
    }
}
