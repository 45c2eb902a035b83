// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The beginning of a library's digest, as part of the installed file name: `libFeed-8c6f168f.so`.
///
/// Another version has another name, so both files can exist at once. The manifest alone selects one: renaming the
/// manifest into place exchanges manifest and library together.
struct DigestMark: Hashable {
    /// Lengths of the mark in characters, tried in order when another file already has the name.
    static let lengths = [8, 16, 64]

    let digest: String
    let length: Int

    /// The installed file name: the library's name with the mark.
    ///
    /// - Parameter name: name in the manifest: with leading directories, or without prefix and suffix in a property
    ///   list.
    func applied(to name: String) -> String {
        let (stem, suffix) = Self.parts(of: name)
        return "\(Self.bare(stem, of: digest))-\(digest.prefix(length))\(suffix)"
    }

    /// The mark in the file name `file`, if `file` is the name of a version of the library; nil otherwise.
    ///
    /// - Parameters:
    ///   - name: the library's name without a mark, or with the mark of `digest`.
    ///   - digest: the digest of the library with that name.
    static func mark(of file: String, asVersionOf name: String, _ digest: String) -> Substring? {
        let (stem, suffix) = parts(of: name)
        let front = bare(stem, of: digest) + "-"
        guard file.hasPrefix(front), file.hasSuffix(suffix), file.count > front.count + suffix.count else { return nil }
        let mark = file.dropFirst(front.count).dropLast(suffix.count)
        return isMark(mark) ? mark : nil
    }

    private static func isMark(_ text: Substring) -> Bool {
        lengths.contains(text.utf8.count) && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    /// Splits a file name into stem and suffix: `libFeed`, and `.so` or `.so.2`.
    private static func parts(of name: String) -> (stem: String, suffix: String) {
        guard let suffix = name.firstMatch(of: /\.so(\.[0-9.]+)?$/) else { return (name, "") }
        return (String(name[..<suffix.range.lowerBound]), String(suffix.0))
    }

    /// The stem without a mark of `digest`, which the name of a library from another installation already contains.
    private static func bare(_ stem: String, of digest: String) -> String {
        guard let hyphen = stem.lastIndex(of: "-") else { return stem }
        let end = stem[stem.index(after: hyphen)...]
        return isMark(end) && digest.hasPrefix(end) ? String(stem[..<hyphen]) : stem
    }
}
