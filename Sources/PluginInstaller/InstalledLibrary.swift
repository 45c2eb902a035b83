// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import LocatedYAML
import PluginCatalog
import TaskModel

/// The path of an installed library: beside its manifest, with the vendor's file name and the beginning of its digest.
/// It writes nothing and never replaces another file.
package struct InstalledLibrary: Hashable {
    let mark: DigestMark
    package let path: String
    /// Whether the library is already there, as when the same version is installed again.
    let isThere: Bool

    /// Returns nil when the library stays in place: the manifest names it by an absolute path, or it is in the plugin
    /// directory.
    init?(of manifest: Manifest, beside target: String, from library: LibraryFile, pluginFolder: String?) throws {
        let name = manifest.library.path.value
        // A library named by its absolute path is managed elsewhere.
        if manifest.library.isAbsolute { return nil }
        let folder = FilePlace.folder(of: target)
        if let pluginFolder, library.path == "\(pluginFolder)/\(name)",
            // A file beside the manifest would take precedence.
            pluginFolder == folder || !FilePlace.exists("\(folder)/\(name)")
        {
            return nil
        }
        for length in DigestMark.lengths {
            let mark = DigestMark(digest: library.digest, length: length)
            let path = "\(folder)/\(mark.applied(to: name))"
            let isThere = FilePlace.exists(path)
            guard !isThere || Self.holds(library, at: path) else { continue }
            (self.mark, self.path, self.isThere) = (mark, path, isThere)
            return
        }
        let taken = "\(folder)/\(DigestMark(digest: library.digest, length: DigestMark.lengths[0]).applied(to: name))"
        throw InstallationError(
            "\(taken) exists, and its content does not match the digest in its name",
            remedy: "move it away"
        )
    }

    /// Whether a regular file with the library's digest is at `path`, not a link.
    static func holds(_ library: LibraryFile, at path: String) -> Bool {
        FilePlace.isRegular(path) && (try? LibraryDigest.of(path: path)) == library.digest
    }
}
