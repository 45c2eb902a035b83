// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
package import TaskModel

/// Reads the manifest directories and decides which plugins are installed. It loads no library and keeps no state.
///
/// A load has three steps, `manifests`, `examine` and `contents`, so that several threads can share the work of
/// `examine`.
package enum CatalogueReader {
    /// Performs a load: reads the manifest directories, examines the plugins, and returns the resulting catalogue.
    ///
    /// - Parameters:
    ///   - alreadyCatalogued: the plugins of the previous load; they take precedence in a conflict.
    ///   - operatorExtensions: extensions that the operator's configuration lists, by main plugin.
    ///   - rule: the operator's policy of provenance.
    ///   - cache: cache of earlier loads.
    package static func load(
        _ directories: CatalogueDirectories,
        alreadyCatalogued: [KnownPlugin] = [],
        operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>] = [:],
        rule: ProvenanceRule = .standard,
        cache: CatalogueCache = CatalogueCache()
    ) -> CatalogueContents {
        let listing = manifests(in: directories)
        let examined = examine(listing.sources, in: directories, rule: rule, cache: cache)
        return contents(
            of: listing,
            examined,
            in: directories,
            cache: cache,
            alreadyCatalogued: alreadyCatalogued,
            operatorExtensions: operatorExtensions
        )
    }

    /// Second step of a load: reads each manifest and its library, independently of the other manifests. The third step
    /// ends the pass of the cache.
    package static func examine(
        _ sources: some Sequence<ManifestSource>,
        in directories: CatalogueDirectories,
        rule: ProvenanceRule = .standard,
        cache: CatalogueCache
    ) -> [ExaminedManifest] {
        sources.map { ExaminedManifest.examine($0, pluginDirectory: directories.plugins, rule: rule, cache: cache) }
    }

    /// Third step of a load: the contents of the directories. It ends the cache's pass.
    ///
    /// - Parameter examined: the results of the second step for all of `listing`, in any order.
    package static func contents(
        of listing: ManifestListing,
        _ examined: [ExaminedManifest],
        in directories: CatalogueDirectories,
        cache: CatalogueCache,
        alreadyCatalogued: [KnownPlugin],
        operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>]
    ) -> CatalogueContents {
        cache.endPass()
        let settled = settle(examined, alreadyCatalogued: alreadyCatalogued, operatorExtensions: operatorExtensions)
        return CatalogueContents(
            entries: settled.entries,
            refused: (settled.refused + listing.refused).sorted { $0.file < $1.file },
            notes: settled.notes,
            directories: settled.directories.union(directories.all)
        )
    }

    /// First step of a load: the manifest files of the directories, in order of decreasing precedence of the
    /// directories.
    package static func manifests(in directories: CatalogueDirectories) -> ManifestListing {
        var sources: [ManifestSource] = []
        var refused: [RefusedFile] = []
        for (rank, directory) in directories.manifests.enumerated() {
            let problems = ProblemCollector(file: directory)
            let isOperators = directory == directories.operatorManifests
            sources += ManifestDirectory.files(in: directory, problems: problems).map {
                ManifestSource(file: $0, rank: rank, isOperators: isOperators)
            }
            if problems.holdsErrors {
                refused.append(RefusedFile(file: directory, identifier: nil, problems: problems.sorted))
            }
        }
        return ManifestListing(sources: sources, refused: refused)
    }

    /// Decides which of the examined manifests take effect together. Reads no files.
    package static func settle(
        _ examined: [ExaminedManifest],
        alreadyCatalogued: [KnownPlugin] = [],
        operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>] = [:]
    ) -> CatalogueContents {
        var settlement = CatalogueSettlement(examined.compactMap(\.candidate), alreadyCatalogued: alreadyCatalogued)
        settlement.settlePluginIdentifiers()
        settlement.settleTaskIdentifiers()
        let refused = examined.filter { $0.candidate == nil }.map { manifest in
            RefusedFile(
                file: manifest.reading.file,
                identifier: manifest.reading.identifier,
                problems: (manifest.reading.problems + manifest.libraryProblems).inFileOrder
            )
        }
        let containing = settlement.settleExtensions(operatorExtensions: operatorExtensions, besides: refused)

        let owners = Self.owners(of: examined, containing: containing)
        let entries = settlement.kept.map { candidate in
            entry(candidate, containing: containing, operatorExtensions: operatorExtensions, owners: owners)
        }
        let notes = settlement.kept.flatMap(\.notes) + settlement.notes
        return CatalogueContents(
            entries: entries.sorted { $0.identifier < $1.identifier },
            refused: (refused + settlement.refused).sorted { $0.file < $1.file },
            notes: notes.sorted { left, right in
                let start = TextPosition(line: 0, column: 0)
                return (left.file, left.position ?? start) < (right.file, right.position ?? start)
            },
            directories: examined.reduce(into: []) { $0.formUnion($1.watched) }
        )
    }

    /// The main plugins to which each manifest and each library belongs; nil for a manifest without an identifier.
    /// Links to a file have its key.
    private static func owners(
        of examined: [ExaminedManifest],
        containing: [PluginIdentifier: PluginIdentifier]
    ) -> [FileKey: Set<PluginIdentifier?>] {
        var owners: [FileKey: Set<PluginIdentifier?>] = [:]
        for manifest in examined {
            let main = manifest.reading.identifier.map { containing[$0] ?? $0 }
            for file in manifest.files { owners[file, default: []].insert(main) }
        }
        return owners
    }

    private static func entry(
        _ candidate: CatalogueCandidate,
        containing: [PluginIdentifier: PluginIdentifier],
        operatorExtensions: [PluginIdentifier: Set<PluginIdentifier>],
        owners: [FileKey: Set<PluginIdentifier?>]
    ) -> PluginEntry {
        let manifest = candidate.manifest
        let main = containing[candidate.identifier] ?? candidate.identifier
        let added = (operatorExtensions[candidate.identifier] ?? []).subtracting(manifest.extensions)
        return PluginEntry(
            requires: manifest.requires,
            identifier: candidate.identifier,
            name: manifest.name,
            version: manifest.version,
            role: manifest.role,
            containingPlugin: containing[candidate.identifier],
            extensionPoint: manifest.extensionPoint,
            extensions: manifest.role == .main ? manifest.extensions + added.sorted() : [],
            permitted: manifest.permitted.map(\.value),
            modes: manifest.modes,
            entitlements: manifest.entitlements,
            settings: manifest.settings,
            secrets: manifest.secrets,
            handlers: manifest.handlers,
            retries: manifest.retries,
            grants: manifest.grants,
            limits: manifest.limits,
            library: candidate.library,
            // A library can name a neighbour's file as needed: the sandbox must not open that file.
            companions: candidate.companions.without { owners[$0.key]?.contains(main) == false },
            mainBundle: manifest.mainBundle.map { information in
                MainBundle(
                    information: information,
                    resources: PathRelation.parent(candidate.library.path),
                    linked: candidate.companions == .directory ? nil : candidate.provenance.files.map(\.name)
                )
            },
            architectures: manifest.library.architectures,
            manifestPath: candidate.file,
            manifestDigest: candidate.reading.digest,
            provenance: candidate.provenance
        )
    }
}
