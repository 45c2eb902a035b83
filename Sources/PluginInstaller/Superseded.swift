// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import LocatedYAML
import PluginCatalog
import TaskModel

/// Files in the operator's folder that no manifest counts any more, and that nobody but these commands made: libraries of
/// other versions, and what a command that was ended at once left under names with a dot. Deletes what still is unused
/// when it is asked to.
package struct Superseded {
    let place: InstallationPlace
    /// Sorted.
    package let paths: [String]

    /// - Parameters:
    ///   - manifest: the one that is or was installed.
    ///   - library: what it names, of that digest.
    ///   - kept: where that is, or will be.
    ///   - replaced: the library that has counted so far, if nobody else needs it.
    init(
        by manifest: String,
        library: String,
        digest: String,
        kept: String?,
        replaced: String? = nil,
        in place: InstallationPlace
    ) {
        self.place = place
        let folder = FilePlace.folder(of: manifest)
        // A library that the manifest names by its whole path is not one of these.
        let library = library.hasPrefix("/") ? FilePlace.name(of: library) : library
        let inside = FilePlace.folder(of: "\(folder)/\(library)")
        let name = FilePlace.name(of: library)
        func isVersion(_ file: String) -> Bool {
            guard let mark = DigestMark.mark(of: file, asVersionOf: name, digest) else { return false }
            // A name alone is no proof: the file must be what its name says.
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
        let others = FilePlace.names(in: folder).filter(isAbandoned).map { "\(folder)/\($0)" }
        let used = Self.libraries(in: place)
        let unused = (libraries + others).filter { path in used.map { !$0.contains(path) } ?? false }
        paths = Set(unused + [replaced].compactMap(\.self)).subtracting([kept].compactMap(\.self)).sorted()
    }

    /// Those that stay, because a manifest has come to name them or one of them cannot be read.
    func delete() -> [String] {
        guard let used = Self.libraries(in: place) else { return paths }
        for path in paths where !used.contains(path) { unlink(path) }
        return paths.filter(FilePlace.exists)
    }

    /// All that the manifests name, wherever they may mean it; nil when one of them does not tell.
    private static func libraries(in place: InstallationPlace) -> Set<String>? {
        var libraries: Set<String> = []
        for source in Catalog.manifests(in: place.folders).sources {
            guard let name = ManifestReading.read(path: source.file).library?.path.value else { return nil }
            if name.hasPrefix("/") { libraries.insert(name) }
            for folder in [FilePlace.folder(of: source.file), place.pluginFolder].compactMap(\.self) {
                libraries.insert("\(folder)/\(name)")
            }
        }
        return libraries
    }
}
