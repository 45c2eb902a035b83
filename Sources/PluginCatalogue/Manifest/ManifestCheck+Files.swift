// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Rules for the pinned files of a manifest.
extension ManifestCheck {
    private static let longestName = 1024
    /// Maximum number of files. The host computes the digest of each.
    private static let mostFiles = 1000

    func pinnedFiles() -> [PinnedFile] {
        guard let files = draft.files else { return [] }
        if draft.pinnedDigest == nil, !files.value.isEmpty, !problems.holdsErrors(under: .sha256) {
            problems.report(
                .files,
                at: files,
                "pins files, but the manifest does not pin the library",
                remedy: "write the library's digest under sha256"
            )
        }
        if files.value.count > Self.mostFiles {
            problems.report(
                .files,
                at: files,
                "pins \(files.value.count) files, more than \(Self.mostFiles)",
                remedy: "pack data files into one file"
            )
        }
        return files.value.prefix(Self.mostFiles).compactMap { name, value in
            let isNamed = isName(name)
            guard let digest = digest(value, of: "the file"), isNamed else { return nil }
            return PinnedFile(name: name.value, digest: digest)
        }
    }

    private func isName(_ field: Field<String>) -> Bool {
        let name = field.value
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isBelow = parts.allSatisfy { !["", ".", ".."].contains($0) }
        let isPlain = !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        if isBelow, isPlain, name.utf8.count <= Self.longestName, name != draft.library?.value { return true }
        problems.report(
            .files,
            at: field,
            name == draft.library?.value
                ? "is the library itself, whose digest belongs under sha256"
                : "is no path below the library's directory, of at most \(Self.longestName) bytes and without control"
                    + " characters",
            remedy: name == draft.library?.value
                ? "remove the line, and write the digest under sha256"
                : "write a relative path without ., .. and //, such as libhelper.so"
        )
        return false
    }
}
