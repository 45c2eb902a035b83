// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The permitted and the default number of items per page, the same for every list.
package enum PageLimit {
    package static let range = 1...1_000
    package static let standard = 100

    static func read(_ text: String?) throws(RouteError) -> Int {
        try QueryValue.whole(text, named: "limit", in: range) ?? standard
    }
}
