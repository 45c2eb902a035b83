// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import LocatedYAML
import PluginCatalogue
import TaskModel

/// The path of a library to install. It is beside the manifest, with the vendor's file name and the beginning of the
/// digest, or in the directory `store` there. The path never names an existing file with other contents.
package struct InstalledLibrary: Hashable {
    /// The mark in the installed name; nil in the store, where the name is the vendor's.
    let mark: DigestMark?
    package let path: String
    /// Whether the library already exists at the path, as when the same version is installed again.
    let isThere: Bool

    /// Chooses the path; nil when the library stays where it is, because the manifest names it by an absolute path, or
    /// it is in the plugin directory and no file beside the manifest takes precedence.
    init?(of manifest: Manifest, beside target: String, from library: LibraryFile, pluginDirectory: String?) throws {
        let name = manifest.library.path.value
        // A library named by its absolute path is managed elsewhere.
        if manifest.library.isAbsolute { return nil }
        let directory = FilePlace.directory(of: target)
        if let pluginDirectory, library.path == "\(pluginDirectory)/\(name)",
            // A file beside the manifest would take precedence.
            pluginDirectory == directory || !FilePlace.exists("\(directory)/\(name)")
        {
            return nil
        }
        for length in DigestMark.lengths {
            let mark = DigestMark(digest: library.digest, length: length)
            let path = "\(directory)/\(mark.applied(to: name))"
            let isThere = FilePlace.exists(path)
            guard !isThere || Self.holds(library, at: path) else { continue }
            (self.mark, self.path, self.isThere) = (mark, path, isThere)
            return
        }
        let taken =
            "\(directory)/\(DigestMark(digest: library.digest, length: DigestMark.lengths[0]).applied(to: name))"
        throw InstallationError(
            "\(taken) exists, but is not a regular file with the digest that its name contains; nothing was written",
            remedy: "move that file away"
        )
    }

    /// The path in the store, for a manifest whose bytes must not change or that pins files besides the library.
    init(stored library: LibraryFile, at path: String) throws {
        let isThere = FilePlace.exists(path)
        guard !isThere || Self.holds(library, at: path) else {
            throw InstallationError(
                "\(path) exists, but is not a copy of the library \(library.path); nothing was written",
                remedy: "move that file away"
            )
        }
        (mark, self.path, self.isThere) = (nil, path, isThere)
    }

    /// Whether the file at `path` is a regular file, not a link, with the library's digest.
    static func holds(_ library: LibraryFile, at path: String) -> Bool {
        holds(digest: library.digest, at: path)
    }

    static func holds(digest: String, at path: String) -> Bool {
        FilePlace.isRegular(path) && (try? LibraryDigest.of(path: path)) == digest
    }
}
