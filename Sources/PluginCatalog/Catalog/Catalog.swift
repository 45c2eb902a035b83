// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Reads the manifest folders and says which plugins are installed. Loads no library and remembers nothing.
package enum Catalog {
    /// - Parameters:
    ///   - alreadyCatalogued: what was there before, which stays where two manifests claim the same.
    ///   - operatorExtensions: extensions that the operator's configuration lists, by main plugin.
    ///   - cache: what earlier loads have read and hashed.
    package static func load(
        _ folders: CatalogFolders,
        alreadyCatalogued: [KnownPlugin] = [],
        operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>] = [:],
        cache: CatalogCache = CatalogCache()
    ) -> CatalogContents {
        var reader = CatalogReader(folders: folders, cache: cache)
        reader.readFolders()
        cache.forgetUnused()

        var settlement = CatalogSettlement(reader.candidates, alreadyCatalogued: alreadyCatalogued)
        settlement.settlePluginIdentifiers()
        settlement.settleTaskIdentifiers()
        let containing = settlement.settleExtensions(operatorExtensions: operatorExtensions)

        let entries = settlement.kept.map { candidate in
            entry(candidate, containing: containing, operatorExtensions: operatorExtensions)
        }
        let notes = settlement.kept.flatMap(\.reading.problems) + settlement.notes
        return CatalogContents(
            entries: entries.sorted { $0.identifier < $1.identifier },
            refused: (reader.refused + settlement.refused).sorted { $0.file < $1.file },
            notes: notes.sorted { left, right in
                let start = TextPosition(line: 0, column: 0)
                return (left.file, left.position ?? start) < (right.file, right.position ?? start)
            },
            folders: reader.watched
        )
    }

    private static func entry(
        _ candidate: CatalogCandidate,
        containing: [PluginIdentifier: PluginIdentifier],
        operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>]
    ) -> PluginEntry {
        let manifest = candidate.manifest
        let added = (operatorExtensions[candidate.identifier] ?? []).subtracting(manifest.extensions)
        return PluginEntry(
            identifier: candidate.identifier,
            name: manifest.name,
            version: manifest.version,
            role: manifest.role,
            containingPlugin: containing[candidate.identifier],
            extensions: manifest.role == .main ? manifest.extensions + added.sorted() : [],
            permitted: manifest.permitted.map(\.value),
            modes: manifest.modes,
            settings: manifest.settings,
            library: candidate.library,
            manifestPath: candidate.file,
            manifestDigest: candidate.reading.digest
        )
    }
}

/// Reads every manifest and its library, one by one, as if it were alone.
private struct CatalogReader {
    let folders: CatalogFolders
    let cache: CatalogCache

    private(set) var candidates: [CatalogCandidate] = []
    private(set) var refused: [RefusedPlugin] = []
    private(set) var watched: Set<String> = []

    init(folders: CatalogFolders, cache: CatalogCache) {
        self.folders = folders
        self.cache = cache
        watched = Set(folders.manifests + [folders.plugins].compactMap(\.self))
    }

    mutating func readFolders() {
        for (rank, folder) in folders.manifests.enumerated() {
            let problems = ProblemCollector(file: folder)
            for file in ManifestFolder.files(in: folder, problems: problems) { read(file, rank: rank) }
            if problems.holdsErrors {
                refused.append(RefusedPlugin(file: folder, identifier: nil, problems: problems.sorted))
            }
        }
    }

    private mutating func read(_ file: String, rank: Int) {
        let reading = cache.manifest(at: file)
        guard let reference = reading.library else {
            refused.append(RefusedPlugin(file: file, identifier: reading.identifier, problems: reading.problems))
            return
        }
        let finder = LibraryFinder(pluginFolder: folders.plugins, cache: cache)
        for place in finder.places(of: reference, in: file) {
            watched.insert(CatalogFolders.parent(of: place))
            if LibraryFinder.isLink(place), let real = CatalogFolders.real(place) {
                watched.insert(CatalogFolders.parent(of: real))
            }
        }
        let problems = ProblemCollector(file: file)
        let library = finder.library(of: reference, in: file, problems: problems)
        guard let manifest = reading.manifest, let library else {
            refused.append(
                RefusedPlugin(file: file, identifier: reading.identifier, problems: reading.problems + problems.sorted)
            )
            return
        }
        candidates.append(CatalogCandidate(reading: reading, manifest: manifest, library: library, rank: rank))
    }
}
