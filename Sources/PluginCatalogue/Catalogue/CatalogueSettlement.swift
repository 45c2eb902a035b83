// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// A valid manifest with a valid library, before the comparison with other manifests.
struct CatalogueCandidate {
    let reading: ManifestReading
    let manifest: Manifest
    let library: LibraryFile
    let companions: LibraryCompanions
    /// Position of the manifest's directory in order of decreasing precedence, from 0.
    let rank: Int
    let provenance: Provenance
    /// The notes about the manifest and its library.
    let notes: [DocumentProblem]

    let fileName: Substring

    init(
        reading: ManifestReading,
        manifest: Manifest,
        library: LibraryFile,
        companions: LibraryCompanions,
        rank: Int,
        provenance: Provenance,
        notes: [DocumentProblem]
    ) {
        self.reading = reading
        self.manifest = manifest
        self.library = library
        self.companions = companions
        self.rank = rank
        self.provenance = provenance
        self.notes = notes
        fileName = reading.file.split(separator: "/").last ?? ""
    }

    var file: String { reading.file }
    var identifier: PluginIdentifier { manifest.identifier.value }

    /// Whether this candidate takes precedence over `other` when the previous load does not decide: by file name, then
    /// by directory.
    func comesBefore(_ other: CatalogueCandidate) -> Bool {
        (fileName, rank, file) < (other.fileName, other.rank, other.file)
    }
}

/// Decides which of several valid manifests take effect. It reads no files; all input is passed in.
struct CatalogueSettlement {
    /// The candidates that take effect so far. Sorted by file once `settlePluginIdentifiers` has returned.
    private(set) var kept: [CatalogueCandidate]
    private(set) var refused: [RefusedFile] = []
    private(set) var notes: [DocumentProblem] = []

    let known: [PluginIdentifier: KnownPlugin]

    init(_ candidates: [CatalogueCandidate], alreadyCatalogued: [KnownPlugin]) {
        kept = candidates
        known = Dictionary(alreadyCatalogued.map { ($0.identifier, $0) }) { first, _ in first }
    }

    /// Keeps one manifest per plugin: the one in the directory of the highest precedence. Among manifests of one
    /// directory, the manifest that was catalogued before; without such a manifest, the first by file name.
    mutating func settlePluginIdentifiers() {
        var winners: [CatalogueCandidate] = []
        for (identifier, rivals) in Dictionary(grouping: kept, by: \.identifier) {
            if rivals.count == 1 {
                winners += rivals
                continue
            }
            let best = rivals.min { left, right in
                if left.rank != right.rank { return left.rank < right.rank }
                let path = known[identifier]?.manifestPath
                if (left.file == path) != (right.file == path) { return left.file == path }
                return left.comesBefore(right)
            }
            guard let best else { continue }
            winners.append(best)
            for rival in rivals where rival.file != best.file {
                if rival.rank == best.rank {
                    refuse(
                        rival,
                        .identifierTaken,
                        at: rival.manifest.identifier,
                        "is \"\(identifier)\", which \(best.file) describes already",
                        remedy: "remove one of the two files, or give this plugin an identifier of its own"
                    )
                } else {
                    shadow(rival, by: best)
                }
            }
        }
        kept = winners.sorted { $0.file < $1.file }
    }

    private mutating func shadow(_ candidate: CatalogueCandidate, by winner: CatalogueCandidate) {
        notes.append(
            DocumentProblem(
                severity: .note,
                file: candidate.file,
                position: candidate.manifest.identifier.position,
                key: candidate.manifest.identifier.key,
                rule: .shadowed,
                message: "is \"\(candidate.identifier)\", for which \(winner.file) takes precedence",
                remedy: "nothing to do, or remove that file to use this one"
            )
        )
    }

    /// Removes the refused candidates from `kept`, at the end of a step.
    mutating func dropRefused() {
        let files = Set(refused.map(\.file))
        if !files.isEmpty { kept.removeAll { files.contains($0.file) } }
    }

    /// Records the refusal of a candidate. The candidate stays in `kept` until the step ends.
    mutating func refuse<Value>(
        _ candidate: CatalogueCandidate,
        _ rule: DocumentProblem.Rule,
        at field: Field<Value>,
        _ message: String,
        remedy: String
    ) {
        let problem = DocumentProblem(
            file: candidate.file,
            position: field.position,
            key: field.key,
            rule: rule,
            message: message,
            remedy: remedy
        )
        refused.append(
            RefusedFile(
                file: candidate.file,
                identifier: candidate.identifier,
                problems: candidate.notes + [problem]
            )
        )
    }
}
