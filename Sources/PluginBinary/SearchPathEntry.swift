// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LinuxSystem
internal import TaskModel

/// One directory of a library's search path for needed libraries (RUNPATH or RPATH), as the linker wrote it.
struct SearchPathEntry {
    let text: String

    static func all(of links: ElfLinks) -> [SearchPathEntry] {
        // The loader ignores RPATH beside RUNPATH.
        guard let path = links.runPath ?? links.inheritedPath else { return [] }
        return path.split(separator: ":", omittingEmptySubsequences: false).map { SearchPathEntry(text: String($0)) }
    }

    /// The reason why a host refuses the directory; nil for the directory of the library, a directory below it, and a
    /// directory that only root can change.
    var flaw: String? {
        if text.isEmpty { return "is empty and stands for the working directory" }
        let parts = text.split(separator: "/").map(String.init)
        if let first = parts.first, Self.origins.contains(first), !text.hasPrefix("/") {
            return parts.contains("..") ? "has the part .., which can lead out of the library's directory" : nil
        }
        if !text.hasPrefix("/") { return "is relative to the working directory" }
        if Self.origins.contains(where: text.contains) { return "contains $ORIGIN, but does not begin with it" }
        let fixed = parts.prefix { !$0.contains("$") }
        if fixed.count < parts.count, parts.contains("..") { return "has both a variable and the part .." }
        let place = "/" + fixed.joined(separator: "/")
        return SystemDirectory.weakness(of: place).map { weak in
            weak == place && fixed.count == parts.count
                ? "can be changed by another user than root"
                : "leads through \(weak.inQuotes), which another user than root can change"
        }
    }

    private static let origins = ["$ORIGIN", "${ORIGIN}"]
}

extension ElfImage {
    /// The entries of the search path that a host refuses.
    func searchPathProblems() throws(PluginBinaryProblem.Kind) -> [PluginBinaryProblem.Kind] {
        SearchPathEntry.all(of: try links()).compactMap { entry in
            entry.flaw.map { .searchPathRefused(entry.text, flaw: $0, neededBy: nil) }
        }
    }
}
