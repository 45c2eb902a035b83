// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc

/// Where manifests and libraries are looked for. A folder that does not exist holds nothing.
package struct CatalogFolders: Hashable, Sendable {
    /// The operator's manifests, which win over all others.
    package let operatorManifests: String?
    /// The manifests that packages brought; of two folders the first wins.
    package let packageManifests: [String]
    /// Libraries that do not stand beside their manifest.
    package let plugins: String?

    package init(operatorManifests: String?, packageManifests: [String] = [], plugins: String? = nil) {
        self.operatorManifests = operatorManifests.map(Self.absolute)
        self.packageManifests = packageManifests.map(Self.absolute)
        self.plugins = plugins.map(Self.absolute)
    }

    /// By falling precedence.
    package var manifests: [String] { [operatorManifests].compactMap(\.self) + packageManifests }

    /// The manifest folders and the plugin folder.
    package var all: Set<String> { Set(manifests + [plugins].compactMap(\.self)) }

    /// With every link resolved; nil when it leads nowhere.
    static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Paths are remembered across restarts, which may begin in another folder.
    private static func absolute(_ path: String) -> String {
        var path = path
        if !path.hasPrefix("/"), let here = getcwd(nil, 0) {
            defer { free(here) }
            path = String(cString: here) + "/" + path
        }
        while path.hasSuffix("/"), path.utf8.count > 1 { path.removeLast() }
        return path
    }
}
