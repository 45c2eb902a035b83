// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LinuxSystem
internal import LocatedYAML
internal import TaskModel

/// Rules for the pinned files of a manifest.
extension ManifestCheck {
    private static let longestName = 1024
    /// Maximum number of files that a manifest pins. The host computes the digest of each.
    private static let mostFiles = 1000

    func pinnedFiles() -> [PinnedFile] {
        guard let files = draft.files else { return [] }
        checkPins(besides: files)
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
            if case .each(let digests) = value { checkNames(digests, rule: .files) }
            // The digests of all architectures are checked, so that every invalid one is reported.
            let digests = value.texts.compactMap { digest($0, of: "the file") }
            // A file without a digest for this architecture belongs to other machines.
            let own = value.text(of: host.architecture)
            guard isNamed, let digest = digests.first(where: { $0.key == own?.key }) else { return nil }
            return PinnedFile(name: name.value, digest: digest)
        }
    }

    /// Reports pinned files of a library that is not pinned itself: any other library would run with these files.
    private func checkPins(besides files: Field<[(name: Field<String>, value: TextVariants)]>) {
        if files.value.isEmpty || problems.holdsErrors(under: .sha256) { return }
        let pinned = draft.pinnedDigest?.names ?? []
        let missing = draft.pinnedDigest == nil ? [] : (architectures ?? []).filter { !pinned.contains($0) }
        guard draft.pinnedDigest == nil || !missing.isEmpty else { return }
        problems.report(
            .files,
            at: files,
            "pins files, but the manifest does not pin the library"
                + (missing.isEmpty ? "" : " for \(missing.joined(separator: ", "))"),
            remedy: "write the library's digest under sha256"
        )
    }

    private func isName(_ field: Field<String>) -> Bool {
        let name = field.value
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isBelow = parts.allSatisfy { !["", ".", ".."].contains($0) }
        let isPlain = !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        let isLibrary = draft.library?.texts.contains { FilePlace.name(of: $0.value) == name } ?? false
        let flaw: (message: String, remedy: String)
        if isLibrary {
            flaw = (
                "is the library itself, whose digest belongs under sha256",
                "remove the line, and write the digest under sha256"
            )
        } else if !isBelow {
            flaw = (
                "is not the path of a file in or below the library's directory",
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
