// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem

/// The directories that are searched for manifests and libraries. A directory that does not exist counts as empty.
package struct CatalogueDirectories: Hashable, Sendable {
    /// Directory of the operator's manifests, which take precedence over all others; nil for none.
    package let operatorManifests: String?
    /// Directories of packages' manifests, in order of decreasing precedence.
    package let packageManifests: [String]
    /// Directory of libraries that are not beside their manifest; nil for none.
    package let plugins: String?

    package init(operatorManifests: String?, packageManifests: [String] = [], plugins: String? = nil) {
        self.operatorManifests = operatorManifests.map(Self.absolute)
        self.packageManifests = packageManifests.map(Self.absolute)
        self.plugins = plugins.map(Self.absolute)
    }

    /// The manifest directories, in order of decreasing precedence.
    package var manifests: [String] { [operatorManifests].compactMap(\.self) + packageManifests }

    /// The manifest directories and the plugin directory.
    package var all: Set<String> { Set(manifests + [plugins].compactMap(\.self)) }

    /// The path with all symbolic links resolved; nil when the path leads to no file, or cannot be resolved.
    static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The absolute form of a path, without slashes at its end. Paths are stored across restarts, which may have
    /// another working directory.
    private static func absolute(_ path: String) -> String {
        var path = FilePlace.absolute(path)
        while path.hasSuffix("/"), path.utf8.count > 1 { path.removeLast() }
        return path
    }
}
