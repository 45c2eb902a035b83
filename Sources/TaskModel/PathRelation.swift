// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Relations of absolute paths without symbolic links.
package enum PathRelation {
    /// Whether the paths are equal, or one of them contains the other.
    package static func overlaps(_ one: String, _ other: String) -> Bool {
        contains(one, other) || contains(other, one)
    }

    /// Whether `path` is `directory` or lies below it.
    package static func contains(_ directory: String, _ path: String) -> Bool {
        let directory = components(directory)
        return components(path).starts(with: directory)
    }

    /// The directory that contains the path; `/` for the root.
    package static func parent(_ path: String) -> String {
        "/" + components(path).dropLast().joined(separator: "/")
    }

    private static func components(_ path: String) -> [Substring] { path.split(separator: "/") }
}
