// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import LocatedYAML
import PluginCatalogue
package import TaskModel

/// The current contents of the manifest directories, as a host reads them.
package struct InstalledManifests {
    struct File {
        let source: ManifestSource
        let manifest: ExaminedManifest

        var path: String { source.file }
        var isOperators: Bool { source.rank == 0 }
        var identifier: PluginIdentifier? { manifest.reading.identifier }
    }

    let files: [File]
    let contents: CatalogueContents
    /// By main plugin, the extensions that the running host's configuration lists and the plugin's manifest does not.
    let operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>]

    package init(_ place: InstallationPlace) {
        let cache = CatalogueCache()
        let files = CatalogueReader.manifests(in: place.directories).sources.map { source in
            File(
                source: source,
                manifest: ExaminedManifest.examine(source, pluginDirectory: place.pluginDirectory, cache: cache)
            )
        }
        var operatorExtensions = place.host?.extensions ?? [:]
        for (main, extensions) in operatorExtensions {
            let manifest = files.first { $0.identifier == main }?.manifest.reading.manifest
            operatorExtensions[main] = extensions.subtracting(manifest?.extensions ?? [])
        }
        self.files = files
        self.operatorExtensions = operatorExtensions
        contents = CatalogueReader.settle(files.map(\.manifest), operatorExtensions: operatorExtensions)
    }

    /// The plugins that a host with these directories has catalogued.
    var known: [KnownPlugin] { contents.entries.map { KnownPlugin($0) } }

    /// The operator's manifest of a plugin; nil when there is none. When several of the operator's manifests claim the
    /// plugin, the one in effect, or the first one when none of them is.
    func operators(_ identifier: PluginIdentifier) -> File? {
        let own = files.filter { $0.isOperators && $0.identifier == identifier }
        let counting = contents.entry(for: identifier)?.manifestPath
        return own.first { $0.path == counting } ?? own.first
    }

    package func describe(_ identifier: PluginIdentifier) -> Bool { files.contains { $0.identifier == identifier } }

    func packaged(_ identifier: PluginIdentifier) -> File? {
        files.first { !$0.isOperators && $0.identifier == identifier }
    }

    /// Path of the manifest's library if it is in the store, or beside the manifest and no other manifest uses it; nil
    /// otherwise.
    func ownLibrary(of file: File) -> String? {
        guard let name = file.manifest.reading.library?.path.value else { return nil }
        let version = VersionStore.directory(of: file.manifest.reading.digest, beside: file.path)
        if let path = file.manifest.libraryPath, path == "\(version)/\(name)" { return path }
        let beside = "\(FilePlace.directory(of: file.path))/\(name)"
        guard beside == file.manifest.libraryPath, others(naming: name, than: file.path).isEmpty else { return nil }
        // Other manifests may use it through an absolute path, a link or from a package.
        let users = files.filter { $0.path != file.path }.compactMap(\.manifest.libraryPath)
        return users.contains { FilePlace.isSame($0, beside) } ? nil : beside
    }

    /// The manifests of the operator's directory, except `file`, that name this library. All of them refer to the same
    /// file.
    func others(naming library: String, than file: String?) -> [File] {
        files.filter { $0.isOperators && $0.path != file && $0.manifest.reading.library?.path.value == library }
    }
}
