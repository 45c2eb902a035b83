// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The beginning of a library's digest, as part of the file name that it is installed under: `libFeed-8c6f168f.so`.
///
/// Another version has another name, so both can stand there at once, and the manifest alone says which of them counts:
/// its renaming exchanges both.
struct DigestMark: Hashable {
    /// Lengths that are tried, one after the other, where the name is taken by something else.
    static let lengths = [8, 16, 64]

    let digest: String
    let length: Int

    /// - Parameter name: as a manifest has it: with folders in front, in a property list without prefix and suffix.
    func applied(to name: String) -> String {
        let (stem, suffix) = Self.parts(of: name)
        return "\(Self.bare(stem, of: digest))-\(digest.prefix(length))\(suffix)"
    }

    /// Whether `file` is the name of some version of the library that is called `name` without a mark, or with that of
    /// `digest`; then the mark that it carries.
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

    /// `libFeed` and `.so`, or `.so.2`.
    private static func parts(of name: String) -> (stem: String, suffix: String) {
        guard let suffix = name.firstMatch(of: /\.so(\.[0-9.]+)?$/) else { return (name, "") }
        return (String(name[..<suffix.range.lowerBound]), String(suffix.0))
    }

    /// One that was taken from another installation carries its mark already.
    private static func bare(_ stem: String, of digest: String) -> String {
        guard let hyphen = stem.lastIndex(of: "-") else { return stem }
        let end = stem[stem.index(after: hyphen)...]
        return isMark(end) && digest.hasPrefix(end) ? String(stem[..<hyphen]) : stem
    }
}
