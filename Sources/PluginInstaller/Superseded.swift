// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import LocatedYAML
import PluginCatalogue
import TaskModel

/// Unused files in the operator's directory, to be deleted after a successful installation or removal. They are the
/// replaced library, libraries of other versions, versions in the store, and temporary files of an interrupted command.
/// A file that a manifest uses by then is kept.
package struct Superseded {
    let place: InstallationPlace
    /// The paths of the files, sorted.
    package let paths: [String]

    /// Finds the files that the installation or the removal of a manifest makes unused.
    ///
    /// - Parameters:
    ///   - manifest: path of the manifest that is or was installed.
    ///   - library: library name in that manifest.
    ///   - digest: digest of that library.
    ///   - kept: path of the library to keep.
    ///   - replaced: the previous library, if no other manifest uses it.
    ///   - version: digest of the manifest to install; nil for a removal.
    init(
        by manifest: String,
        library: String,
        digest: String,
        kept: String?,
        replaced: String? = nil,
        version: String?,
        in place: InstallationPlace
    ) {
        self.place = place
        let directory = FilePlace.directory(of: manifest)
        // A library that the manifest names by its absolute path is not among them.
        let library = library.hasPrefix("/") ? FilePlace.name(of: library) : library
        let inside = FilePlace.directory(of: "\(directory)/\(library)")
        let name = FilePlace.name(of: library)
        func isVersion(_ file: String) -> Bool {
            guard let mark = DigestMark.mark(of: file, asVersionOf: name, digest) else { return false }
            // The name is not sufficient: the digest of the file must match it.
            return (try? LibraryDigest.of(path: "\(inside)/\(file)"))?.hasPrefix(mark) ?? false
        }
        func isAbandoned(_ file: String) -> Bool {
            guard let match = file.firstMatch(of: /^\.(.+)\.(old|new)-([0-9]+)$/), let process = Int32(match.3) else {
                return false
            }
            let original = String(match.1)
            let isOurs =
                original == FilePlace.name(of: manifest) || original == name
                || DigestMark.mark(of: original, asVersionOf: name, digest) != nil
            return isOurs && kill(process, 0) != 0 && errno == ESRCH
        }
        let libraries = FilePlace.names(in: inside).filter { isVersion($0) || isAbandoned($0) }.map {
            "\(inside)/\($0)"
        }
        let others = FilePlace.names(in: directory).filter(isAbandoned).map { "\(directory)/\($0)" }
        let used = Self.libraries(in: place)
        let unused = (libraries + others).filter { path in used.map { !$0.contains(path) } ?? false }
        let stored = UnusedVersions(besides: manifest, version: version, in: place).files
        paths = Set(unused + stored + [replaced].compactMap(\.self)).subtracting([kept].compactMap(\.self)).sorted()
    }

    /// Deletes the files that are still unused.
    ///
    /// - Returns: the files that still exist, because a manifest now names them, a manifest is unreadable, or deletion
    ///   failed.
    func delete() -> [String] {
        guard let used = Self.libraries(in: place) else { return paths }
        let versions = UnusedVersions.digests(in: place, besides: nil)
        for path in paths where !used.contains(path) && !Self.isStored(path, by: versions) {
            unlink(path)
            UnusedVersions.removeEmptyDirectories(above: path)
        }
        return paths.filter(FilePlace.exists)
    }

    /// Whether a path belongs to one of the versions in a store.
    private static func isStored(_ path: String, by versions: Set<String>) -> Bool {
        guard let match = path.firstMatch(of: /\/store\/([0-9a-f]{64})\//) else { return false }
        return versions.contains(String(match.1))
    }

    /// All paths of libraries to which the manifests may refer; nil when the library name in a manifest cannot be read.
    private static func libraries(in place: InstallationPlace) -> Set<String>? {
        var libraries: Set<String> = []
        for source in CatalogueReader.manifests(in: place.directories).sources {
            guard let name = ManifestReading.read(path: source.file).library?.path.value else { return nil }
            if name.hasPrefix("/") { libraries.insert(name) }
            for directory in [FilePlace.directory(of: source.file), place.pluginDirectory].compactMap(\.self) {
                libraries.insert("\(directory)/\(name)")
            }
        }
        return libraries
    }
}
