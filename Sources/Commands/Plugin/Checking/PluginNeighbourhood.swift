// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import PluginCatalogue

/// The manifests to check (`asked`), and all manifests that are checked together (`sources`): the former, the given
/// neighbours and the other manifests in the same directories.
struct PluginNeighbourhood {
    let asked: [String]
    let sources: [ManifestSource]

    init(manifests: [String], with neighbours: [String]) {
        var seen: Set<String> = []
        asked = manifests.map(FilePlace.absolute).filter { seen.insert($0).inserted }
        let directories = Set(asked.map(FilePlace.directory)).sorted()
        let beside = directories.flatMap { directory in
            CatalogueReader.manifests(in: CatalogueDirectories(operatorManifests: directory)).sources.map(\.file)
        }
        let others = (neighbours.map(FilePlace.absolute) + beside).filter { seen.insert($0).inserted }
        sources = (asked + others).map { ManifestSource(file: $0) }
    }
}
