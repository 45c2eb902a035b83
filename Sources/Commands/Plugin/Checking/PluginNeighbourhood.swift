// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import PluginCatalogue

/// The manifests of one `plugin check`. `asked` are the manifests to report on. `sources` are all manifests that are
/// examined together: `asked`, the manifests given with `--with`, and all other manifests in the directories of
/// `asked`.
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
