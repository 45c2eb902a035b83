// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LinuxSystem
package import LocatedYAML
package import TaskModel

/// A manifest file to examine, with its precedence.
package struct ManifestSource: Hashable, Sendable {
    package let file: String
    /// Position of the file's directory in order of decreasing precedence, from 0.
    package let rank: Int
    /// Whether the file is, or will be, in the operator's directory. Manifests there have more permissions than a
    /// package's.
    package let isOperators: Bool
    /// Path of the library, when it is given instead of searched for; nil for a search.
    package let library: String?

    package init(file: String, rank: Int = 0, isOperators: Bool = true, library: String? = nil) {
        self.file = file
        self.rank = rank
        self.isOperators = isOperators
        self.library = library
    }
}

/// The manifest files of several directories, and the directories that could not be read.
package struct ManifestListing: Sendable {
    package let sources: [ManifestSource]
    package let refused: [RefusedFile]
}

/// One manifest and its library, read independently of other manifests.
package struct ExaminedManifest: Sendable {
    package let reading: ManifestReading
    /// Path of the file with the library's name; nil when there is none, or the manifest names no valid library.
    package let libraryPath: String?
    /// The files at the paths of the manifest and of the library.
    let files: Set<FileKey>
    /// The examined library; nil when the library is missing or refused.
    package let library: LibraryFile?
    /// The files that the plugin may use beside the library; nil when the library is missing or refused.
    let companions: LibraryCompanions?
    package let libraryProblems: [DocumentProblem]
    /// The provenance; nil when the manifest is refused.
    package let provenance: Provenance?
    let rank: Int
    /// Directories in which a change can affect the library or the files that run with it.
    let watched: Set<String>

    package static func examine(
        _ source: ManifestSource,
        pluginDirectory: String?,
        rule: ProvenanceRule = .standard,
        cache: CatalogueCache = CatalogueCache()
    ) -> ExaminedManifest {
        let reading = cache.manifest(at: source.file)
        guard let reference = reading.library else {
            return ExaminedManifest(
                reading: reading,
                libraryPath: nil,
                files: Set([FileKey(ofPath: source.file)].compactMap(\.self)),
                library: nil,
                companions: nil,
                libraryProblems: [],
                provenance: nil,
                rank: source.rank,
                watched: []
            )
        }
        let finder = LibraryFinder(
            pluginDirectory: pluginDirectory,
            given: source.library,
            isOperators: source.isOperators,
            manifestDigest: reading.digest,
            cache: cache
        )
        var watched: Set<String> = []
        for place in finder.places(of: reference, in: source.file) {
            watched.insert(FilePlace.directory(of: place))
            if LibraryFinder.isLink(place), let real = CatalogueDirectories.real(place) {
                watched.insert(FilePlace.directory(of: real))
            }
        }
        let problems = ProblemCollector(file: source.file)
        let path = finder.path(of: reference, in: source.file)
        let library = finder.library(of: reference, in: source.file, problems: problems)
        let provenance = reading.manifest.flatMap { manifest in
            ProvenanceExamination(
                rule: rule,
                manifest: manifest,
                source: source,
                libraryPath: path,
                problems: problems
            ).provenance(cache.signature(of: reading))
        }
        if let path { watched.formUnion(finder.directories(ofFilesBeside: path, library, by: reference)) }
        return ExaminedManifest(
            reading: reading,
            libraryPath: path,
            files: Set([source.file, path].compactMap { $0.flatMap(FileKey.init(ofPath:)) }),
            library: library,
            companions: library.map { finder.companions(of: $0, by: reference, in: source.file) },
            libraryProblems: problems.sorted,
            provenance: provenance,
            rank: source.rank,
            watched: watched
        )
    }

    /// The candidate for the settlement; nil when the manifest or its library is refused.
    var candidate: CatalogueCandidate? {
        guard let manifest = reading.manifest, let library, let companions, let provenance else { return nil }
        return CatalogueCandidate(
            reading: reading,
            manifest: manifest,
            library: library,
            companions: companions,
            rank: rank,
            provenance: provenance,
            notes: (reading.problems + libraryProblems).inFileOrder
        )
    }
}
