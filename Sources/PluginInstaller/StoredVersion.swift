// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import LocatedYAML
import PluginCatalogue
import Signatures
import TaskModel

/// A pinned file of a plugin with its place in the store.
package struct StoredFile: Hashable, Sendable {
    package let source: String
    package let target: String
    let digest: String
    /// Whether the file already exists at the target, as when the same version is installed again.
    let isThere: Bool
}

/// The library and the pinned files of a version in the store. The manifest keeps the vendor's bytes.
struct StoredVersion {
    let library: InstalledLibrary?
    let files: [StoredFile]

    /// Chooses the paths of the library and of its pinned files in the store. Chooses none for a library that the
    /// manifest names by an absolute path. Throws when a chosen path has a file with other contents.
    ///
    /// - Parameter digest: digest of the manifest.
    init(of manifest: Manifest, _ library: LibraryFile, digest: String, beside target: String) throws {
        // A library that is named by its absolute path is managed elsewhere, with its files.
        if manifest.library.isAbsolute {
            (self.library, files) = (nil, [])
            return
        }
        let place = "\(VersionStore.directory(of: digest, beside: target))/\(manifest.library.path.value)"
        let (from, to) = (FilePlace.directory(of: library.path), FilePlace.directory(of: place))
        self.library = try InstalledLibrary(stored: library, at: place)
        files = try manifest.library.files.map { file in
            let target = "\(to)/\(file.name)"
            let isThere = FilePlace.exists(target)
            guard !isThere || InstalledLibrary.holds(digest: file.digest.value, at: target) else {
                throw InstallationError(
                    "\(target) exists, but is not a regular file with the digest that the manifest pins; nothing was"
                        + " written",
                    remedy: "move that file away"
                )
            }
            return StoredFile(
                source: "\(from)/\(file.name)",
                target: target,
                digest: file.digest.value,
                isThere: isThere
            )
        }
    }
}

/// The signature of a manifest with its place in the store.
package struct StoredSignature: Hashable, Sendable {
    package let source: String
    package let target: String
    let bytes: [UInt8]

    init(of manifest: ManifestReading, beside target: String) throws {
        source = manifest.file + PluginSignature.suffix
        self.target = VersionStore.signature(of: manifest.digest, beside: target)
        let problems = ProblemCollector(file: source)
        guard let file = SmallFile(path: source, problems: problems) else {
            let problem = problems.problems.first
            throw InstallationError("\(source) \(problem?.message ?? "cannot be read")", remedy: problem?.remedy)
        }
        bytes = file.bytes
    }
}

/// The versions that no manifest uses, in the store beside a manifest.
struct UnusedVersions {
    /// Paths of all files of the versions, sorted.
    let files: [String]

    /// Finds the versions in the store beside `manifest` that neither `version` nor another manifest of `place` names.
    ///
    /// - Parameters:
    ///   - manifest: path of the manifest that is installed or removed.
    ///   - version: digest of the manifest that will be at this path; nil when it will be removed.
    init(besides manifest: String, version: String?, in place: InstallationPlace) {
        let store = "\(FilePlace.directory(of: manifest))/\(VersionStore.name)"
        let used = Self.digests(in: place, besides: manifest).union([version].compactMap(\.self))
        files = FilePlace.names(in: store).filter { Self.isDigest($0) && !used.contains($0) }
            .flatMap { Self.files(below: "\(store)/\($0)") }.sorted()
    }

    /// Digests of all manifests of the place, those of packages included, except the one at `manifest`.
    static func digests(in place: InstallationPlace, besides manifest: String?) -> Set<String> {
        let sources = CatalogueReader.manifests(in: place.directories).sources.filter { $0.file != manifest }
        return Set(sources.map { ManifestReading.read(path: $0.file).digest })
    }

    /// Removes the directories that have become empty, up to the store and the store itself.
    static func removeEmptyDirectories(above file: String) {
        var directory = FilePlace.directory(of: file)
        while directory.contains("/\(VersionStore.name)/"), rmdir(directory) == 0 {
            directory = FilePlace.directory(of: directory)
        }
        if FilePlace.name(of: directory) == VersionStore.name { rmdir(directory) }
    }

    private static func isDigest(_ name: String) -> Bool {
        name.utf8.count == 64 && name.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    private static func files(below directory: String, depth: Int = 0) -> [String] {
        if depth > 16 { return [] }
        return FilePlace.names(in: directory).flatMap { name in
            let path = "\(directory)/\(name)"
            return FilePlace.isDirectory(path) ? files(below: path, depth: depth + 1) : [path]
        }
    }
}
