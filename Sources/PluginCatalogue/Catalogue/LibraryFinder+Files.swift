// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LinuxSystem
internal import LocatedYAML
internal import PluginBinary
internal import TaskModel

/// Examination of the files that run together with a library: the pinned ones, and those that the loader takes from the
/// library's directory.
extension LibraryFinder {
    /// Reports each pinned file that cannot be used or has another digest, each search path that the host refuses, and
    /// each file that the loader may take without a pin. Returns whether the library may be used.
    func areFilesPinned(
        of library: LibraryFile,
        by reference: LibraryReference,
        problems: ProblemCollector
    ) -> Bool {
        let directory = FilePlace.directory(of: library.path)
        var isAccepted = true
        for file in reference.files where !hasPinnedDigest(file, in: directory, problems: problems) {
            isAccepted = false
        }
        let privates = cache.privateLibraries(of: library)
        for problem in privates.problems {
            problems.report(
                DocumentProblem.Rule(rawValue: problem.code),
                at: reference.path,
                problem.message,
                remedy: problem.remedy
            )
            isAccepted = false
        }
        let pinned = Set(reference.files.map { "\(directory)/\($0.name)" })
        for file in privates.files where !pinned.contains(Self.withoutEmptyParts(file.path)) {
            let user = file.neededBy ?? library.path
            // The path of a directory with a variable is unknown, so a pin cannot name the file.
            let isUnknown = file.path.contains("$")
            let message =
                "has the dependency \(file.path.inQuotes) (of \(user.inQuotes)), which "
                + (isUnknown ? "cannot be pinned, because its path has a variable" : "is not pinned")
            let remedy =
                isUnknown
                ? "link \(user.inQuotes) with -Wl,-rpath,'$ORIGIN', without another variable"
                : "pin the dependency under files, with its path relative to \(directory.inQuotes) and its digest"
            if reference.isPinned {
                problems.report(.unpinned, at: reference.path, message, remedy: remedy)
                isAccepted = false
            } else {
                // A property list cannot pin files.
                let format =
                    problems.file.hasSuffix(".plist") ? "; a property list has no pins, so write a YAML manifest" : ""
                let pins = "\(remedy); pin the library, too, under sha256\(format)"
                problems.note(.unpinned, at: reference.path, message, remedy: pins)
            }
        }
        return isAccepted
    }

    /// The files that the plugin may use beside the library. The directories of manifests and of libraries contain
    /// files of other plugins, so only the directory of a stored version is opened as a whole.
    func companions(
        of library: LibraryFile,
        by reference: LibraryReference,
        in manifestFile: String
    ) -> LibraryCompanions {
        let stored = VersionStore.directory(of: manifestDigest, beside: manifestFile)
        if library.path.hasPrefix(stored + "/") { return .directory }
        let directory = FilePlace.directory(of: library.path)
        let pinned = reference.files.map { "\(directory)/\($0.name)" }
        // The path of a directory with a variable is unknown.
        let privates = cache.privateLibraries(of: library).files.map(\.path).filter { !$0.contains("$") }
        let paths = Set(pinned + privates.map(Self.withoutEmptyParts)).sorted()
        return .files(paths.compactMap { path in FileKey(ofPath: path).map { CompanionFile(path: path, key: $0) } })
    }

    /// Directories in which a change can affect the examination of the pinned files and of the private libraries.
    ///
    /// - Parameters:
    ///   - path: path of the library.
    ///   - library: the library; nil when it is refused.
    ///   - reference: the manifest's reference to the library, with the pinned files.
    func directories(ofFilesBeside path: String, _ library: LibraryFile?, by reference: LibraryReference) -> Set<String>
    {
        let directory = FilePlace.directory(of: path)
        let pinned = reference.files.map { "\(directory)/\($0.name)" }
        let searched = library.map { cache.privateLibraries(of: $0).consulted } ?? []
        let places = searched.map(FilePlace.directory).filter { $0 == directory || $0.hasPrefix(directory + "/") }
        // A file behind a symbolic link can be replaced without a change of the link.
        let root = (CatalogueDirectories.real(directory) ?? directory) + "/"
        let targets = (pinned + searched).filter(Self.isLink).compactMap(CatalogueDirectories.real)
        return Set((pinned + targets.filter { $0.hasPrefix(root) }).map(FilePlace.directory) + places)
    }

    private func hasPinnedDigest(_ file: PinnedFile, in directory: String, problems: ProblemCollector) -> Bool {
        let path = "\(directory)/\(file.name)"
        let message: String
        var remedy = "install the file that the manifest was written for, or correct the digest"
        switch cache.file(at: path) {
        case .read(file.digest.value, _): return true
        case .read(let digest, _):
            message = "is \(file.digest.value), but \(path.inQuotes) has the digest \(digest)"
        case .unreadable(let errno):
            message = "pins \(path.inQuotes), which cannot be read: \(String(systemError: errno))"
            remedy = "install it there, readable for the host's user, or remove it from files"
        case .notAFile:
            message = "pins \(path.inQuotes), which is not a regular file"
            remedy = "install a regular file there, or remove it from files"
        case .changing:
            problems.report(
                .libraryChanging,
                at: file.digest,
                "pins \(path.inQuotes), which changed while it was read",
                remedy: "wait until it is complete, then a host reads it again; next time, rename it into place"
            )
            return false
        }
        problems.report(
            .files,
            at: file.digest,
            message,
            remedy: remedy
        )
        return false
    }

    private static func withoutEmptyParts(_ path: String) -> String {
        "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }
}
