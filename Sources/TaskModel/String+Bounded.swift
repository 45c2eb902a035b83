// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension String {
    /// The string in at most `limit` bytes; `limit` is at least 3. A longer string is cut between Unicode scalars and
    /// ends in three dots. The limit counts bytes, because a single character can have any number of bytes.
    package func bounded(toBytes limit: Int) -> String {
        if utf8.count <= limit { return self }
        var end = utf8.index(startIndex, offsetBy: max(0, limit - 3))
        while end > startIndex, UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end]) + "..."
    }
}
