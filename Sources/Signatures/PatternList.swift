// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A list of patterns as in files of OpenSSH: separated by commas, with `*`, `?`, and `!` for exclusion.
package struct PatternList: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// Whether a pattern matches the name and none excludes it.
    package func matches(_ name: String) -> Bool {
        var isMatched = false
        for pattern in text.split(separator: ",") {
            let isExclusion = pattern.hasPrefix("!")
            guard Self.matches(Array(pattern.utf8.dropFirst(isExclusion ? 1 : 0)), Array(name.utf8)) else { continue }
            if isExclusion { return false }
            isMatched = true
        }
        return isMatched
    }

    /// Whether a pattern with `*` and `?` matches the whole name. Takes time proportional to the product of both
    /// lengths.
    private static func matches(_ pattern: [UInt8], _ name: [UInt8]) -> Bool {
        var (next, position) = (0, 0)
        var retry: (pattern: Int, position: Int)?
        while position < name.count {
            if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
                retry = (next + 1, position)
                next += 1
            } else if next < pattern.count, pattern[next] == name[position] || pattern[next] == UInt8(ascii: "?") {
                next += 1
                position += 1
            } else if let last = retry {
                retry = (last.pattern, last.position + 1)
                (next, position) = (last.pattern, last.position + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
