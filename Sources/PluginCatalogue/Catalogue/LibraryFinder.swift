// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem
internal import LocatedYAML
internal import PluginBinary
internal import TaskModel

/// Finds the library that a manifest names: beside the manifest or in the plugin directory, and a pinned one first in
/// the version store beside the manifest. Exceptions: a library whose functions an operator's manifest binds may be
/// anywhere, and a command may give the path.
struct LibraryFinder {
    let pluginDirectory: String?
    /// Path of the library that a user named; nil to search the directories.
    var given: String?
    /// Whether the manifest is in the operator's directory.
    var isOperators = true
    /// SHA-256 of the manifest's bytes, in lower-case hexadecimal.
    let manifestDigest: String
    let cache: CatalogueCache

    /// The directories in which a library may be, in order of preference.
    func directories(for manifestFile: String) -> [String] {
        let beside = FilePlace.directory(of: manifestFile)
        return [beside] + (pluginDirectory.map { $0 == beside ? [] : [$0] } ?? [])
    }

    /// The paths at which the library may be, in order of preference. The files need not exist.
    func places(of reference: LibraryReference, in manifestFile: String) -> [String] {
        if let given { return [given] }
        if reference.isAbsolute { return [reference.path.value] }
        let stored = VersionStore.directory(of: manifestDigest, beside: manifestFile)
        return ((reference.isPinned ? [stored] : []) + directories(for: manifestFile)).map {
            ($0 == "/" ? "" : $0) + "/" + reference.path.value
        }
    }

    /// The first of the `places` of a library at which a file or a broken link exists, or which the host cannot access;
    /// nil when there is none. The file need not be a valid library.
    func path(of reference: LibraryReference, in manifestFile: String) -> String? {
        places(of: reference, in: manifestFile).first(where: isSomethingAt)
    }

    /// The examined library. When it was not found or is refused, reports the problem and returns nil.
    func library(of reference: LibraryReference, in manifestFile: String, problems: ProblemCollector) -> LibraryFile? {
        if reference.isAbsolute, !isOperators {
            problems.report(
                .libraryPath,
                at: reference.path,
                "is the absolute path \(reference.path.value.inQuotes), which only manifests in the operator's"
                    + " directory may use",
                remedy: "install the manifest with bgtask plugin install, or put the library beside the"
                    + " manifest and write only the library's file name"
            )
            return nil
        }
        guard let path = path(of: reference, in: manifestFile) else {
            let places = places(of: reference, in: manifestFile)
            problems.report(
                .libraryMissing,
                at: reference.path,
                "names a library that does not exist at \(places.map(\.inQuotes).joined(separator: " or "))",
                remedy: places.count == 1
                    ? "install it there, or correct its path" : "install it at one of these paths, or correct its name"
            )
            return nil
        }
        let roots = directories(for: manifestFile)
        if let real = placeOutside(of: roots, reachedBy: path, of: reference) {
            problems.report(
                .libraryPath,
                at: reference.path,
                "names \(path.inQuotes), which leads by a symbolic link to \(real.inQuotes), outside of"
                    + " \(roots.map(\.inQuotes).joined(separator: " and "))",
                remedy: "put the library itself beside its manifest or in the plugin directory"
            )
            return nil
        }
        switch cache.library(at: path, for: reference.use) {
        case .accepted(let library):
            let isPinned = isPinned(library, by: reference, problems: problems)
            return areFilesPinned(of: library, by: reference, problems: problems) && isPinned ? library : nil
        case .refused(let found, _):
            for problem in found {
                problems.report(
                    DocumentProblem.Rule(rawValue: problem.rule?.rawValue ?? problem.code),
                    at: reference.functions?.first { $0.value == problem.symbol } ?? reference.path,
                    problem.message,
                    remedy: problem.remedy
                )
            }
            return nil
        case .changing:
            problems.report(
                .libraryChanging,
                at: reference.path,
                "names \(path.inQuotes), which changed while it was read",
                remedy: "wait until it is complete, then a host reads it again; next time, rename it into place"
            )
            return nil
        }
    }

    /// Target of a symbolic link on the path of the library, if the target is outside of the directories; nil
    /// otherwise.
    private func placeOutside(of directories: [String], reachedBy path: String, of reference: LibraryReference)
        -> String?
    {
        if given != nil || reference.isAbsolute { return nil }
        // A regular file directly in the directory is not reached through a link; all other paths are resolved.
        if !reference.path.value.contains("/"), !Self.isLink(path) { return nil }
        guard let real = CatalogueDirectories.real(path) else { return nil }
        let roots = directories.compactMap(CatalogueDirectories.real)
        return roots.contains { real.hasPrefix($0 == "/" ? "/" : $0 + "/") } ? nil : real
    }

    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    // A broken link counts as existing: it is reported instead of skipped.
    private func isSomethingAt(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    private func isPinned(_ library: LibraryFile, by reference: LibraryReference, problems: ProblemCollector) -> Bool {
        guard let pin = reference.pinnedDigest, pin.value != library.digest else { return true }
        problems.report(
            .digest,
            at: pin,
            "is \(pin.value), but \(library.path.inQuotes) has the digest \(library.digest)",
            remedy: "install the library that the manifest was written for, or correct the digest"
        )
        return false
    }
}
