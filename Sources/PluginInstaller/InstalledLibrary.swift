// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import LocatedYAML
import PluginCatalog
import TaskModel

/// Where a library is installed: beside its manifest, under the vendor's name and the beginning of its digest. Writes
/// nothing, and takes no other file's place.
package struct InstalledLibrary: Hashable {
    let mark: DigestMark
    package let path: String
    /// Whether it stands there already, as when the same version is installed again.
    let isThere: Bool

    /// Nil when it stays where it is: in the plugin folder, where the manifest will find it as it is.
    init?(of manifest: Manifest, beside target: String, from library: LibraryFile, pluginFolder: String?) throws {
        let name = manifest.library.path.value
        // It belongs to somebody else, who replaces it as they see fit.
        if manifest.library.isAbsolute { return nil }
        let folder = FilePlace.folder(of: target)
        if let pluginFolder, library.path == "\(pluginFolder)/\(name)",
            // What stands beside the manifest would be taken before it.
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

    /// Whether the very file is there that its name tells, and no link to one.
    static func holds(_ library: LibraryFile, at path: String) -> Bool {
        FilePlace.isRegular(path) && (try? LibraryDigest.of(path: path)) == library.digest
    }
}
