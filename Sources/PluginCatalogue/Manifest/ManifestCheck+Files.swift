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
                "pins \(files.value.count) files; at most \(Self.mostFiles) are allowed",
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
        let flaw: (message: String, remedy: String)
        if name == draft.library?.value {
            flaw = (
                "is the library itself, whose digest belongs under sha256",
                "remove the line, and write the digest under sha256"
            )
        } else if !isBelow {
            flaw = (
                "is not the path of a file below the library's directory",
                "write a relative path without the parts . and .. and without //, such as libhelper.so"
            )
        } else if !isPlain {
            flaw = ("contains a control character", "rename the file")
        } else if name.utf8.count > Self.longestName {
            flaw = (
                "is a path of \(name.utf8.count) bytes; the maximum is \(Self.longestName)",
                "write a path of at most \(Self.longestName) bytes"
            )
        } else {
            return true
        }
        problems.report(.files, at: field, flaw.message, remedy: flaw.remedy)
        return false
    }
}
