// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The order of plugin versions, which are free texts such as `1.10.0` or `2.0-beta.1`.
///
/// Numbers are compared as numbers and other parts as text. A version with a suffix behind a hyphen precedes the
/// version without it.
enum VersionOrder {
    /// Whether a version is lower than another one. False for two texts without an order, such as an empty one.
    static func isLower(_ version: String, than other: String) -> Bool {
        if version.isEmpty || other.isEmpty { return false }
        // The text behind a plus sign is a remark about the build.
        let (left, right) = (parts(of: version), parts(of: other))
        if let difference = compare(left.release, right.release) { return difference }
        switch (left.suffix.isEmpty, right.suffix.isEmpty) {
        case (true, _): return false
        case (false, true): return true
        case (false, false): return compare(left.suffix, right.suffix) ?? false
        }
    }

    private static func parts(of version: String) -> (release: [Substring], suffix: [Substring]) {
        let text = version.prefix { $0 != "+" }
        let release = text.prefix { $0 != "-" }
        return (release.split(separator: "."), text.dropFirst(release.count + 1).split(separator: "."))
    }

    /// Whether the left list is lower; nil for equal lists. Missing numbers count as zero.
    private static func compare(_ left: [Substring], _ right: [Substring]) -> Bool? {
        for index in 0..<max(left.count, right.count) {
            let (first, second) = (index < left.count ? left[index] : "0", index < right.count ? right[index] : "0")
            if let number = digits(first), let other = digits(second) {
                if number.count != other.count { return number.count < other.count }
                if number != other { return number < other }
            } else if first != second {
                return first < second
            }
        }
        return nil
    }

    /// The digits of a number without leading zeros; nil for another text.
    private static func digits(_ text: Substring) -> String? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return String(text.drop { $0 == "0" })
    }
}
