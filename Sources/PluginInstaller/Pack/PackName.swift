// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The reason why a file is not a valid pack. The message completes the sentence "PATH is not a valid pack: ...". The
/// message of a flaw in one entry first completes "entry 3 at byte 1536 ...", which `PluginPack.entries` puts before it.
struct PackFlaw: Error, Hashable {
    let message: String

    init(_ message: String) { self.message = message }
}

/// The rule for the names of files in a pack: paths below the directory of the manifest.
enum PackName {
    /// Maximum length in bytes.
    static let longest = 255

    /// The reason why a name is refused, as the end of a sentence; nil for a permitted name.
    static func flaw(of name: String) -> String? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        if name.isEmpty { return "is empty" }
        if name.hasPrefix("/") { return "is an absolute path" }
        if name.utf8.count > longest { return "has \(name.utf8.count) bytes; at most \(longest) are allowed" }
        if let part = ["..", ".", ""].first(where: { parts.contains(Substring($0)) }) {
            return "has \(part.isEmpty ? "an empty" : "a \"\(part)\"") part"
        }
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        return isPlain ? nil : "has a control character"
    }

    /// The directories on a path: `a` and `a/b` for `a/b/c`.
    static func directories(above name: String) -> [String] {
        name.indices.filter { name[$0] == "/" }.map { String(name[..<$0]) }
    }
}
