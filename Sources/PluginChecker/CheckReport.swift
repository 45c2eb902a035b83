// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// All results of one run of the checker, the document that `--json` prints.
///
/// `format` is the version of its structure: keys may be added to a format, but none is changed or removed.
package struct CheckReport: Hashable, Sendable, Encodable {
    package let format = 1
    /// Version of the program that ran the checks.
    package let tool: String
    /// The ABI version against which plugins were checked, as MAJOR.MINOR.
    package let abi: String
    /// Depth of the checks: 0 reads files and runs nothing; the checks of higher levels run the plugin.
    package let level: Int
    /// Seed of the random payloads that checks deliver; nil at level 0, which runs nothing.
    package let seed: UInt64?
    /// Name of the profile (`CheckProfile`) that selected the checks; nil without a profile.
    package let profile: String?
    package let verdict: CheckVerdict
    package let manifests: [ManifestReport]

    init(
        tool: String,
        abi: String,
        level: Int = 0,
        seed: UInt64? = nil,
        profile: CheckProfile? = nil,
        manifests: [ManifestReport]
    ) {
        self.profile = profile?.rawValue
        self.tool = tool
        self.abi = abi
        self.level = level
        self.seed = seed
        self.manifests = manifests
        verdict = manifests.map(\.verdict).max() ?? .conforms
    }

    /// The report with the results of checks that ran the plugins, by manifest.
    package func adding(_ trials: [String: [TrialResult]], level: Int, seed: UInt64) -> CheckReport {
        CheckReport(
            tool: tool,
            abi: abi,
            level: level,
            seed: seed,
            profile: profile.flatMap(CheckProfile.init(rawValue:)),
            manifests: manifests.map { $0.adding(trials[$0.manifest] ?? []) }
        )
    }
}

/// Results for one manifest and its library.
package struct ManifestReport: Hashable, Sendable, Encodable {
    package let manifest: String
    /// SHA-256 digest of the manifest in lower-case hexadecimal; empty when the file could not be read.
    package let manifestDigest: String
    /// The identifier of the plugin; nil when it could not be read.
    package let identifier: String?
    /// Path of the library, accepted or refused; nil when none was found.
    package let library: String?
    /// SHA-256 digest of the library in lower-case hexadecimal; nil when there is no readable library.
    package let libraryDigest: String?
    /// Results of the checks that read files.
    package let results: [CheckResult]
    /// Results of the checks that ran the plugin, in the order of the checks.
    package let trials: [TrialResult]
    /// The verdict of the checks that read files.
    package let staticVerdict: CheckVerdict

    init(
        manifest: String,
        manifestDigest: String,
        identifier: String?,
        library: String?,
        libraryDigest: String?,
        verdict: CheckVerdict,
        results: [CheckResult],
        trials: [TrialResult] = []
    ) {
        self.manifest = manifest
        self.manifestDigest = manifestDigest
        self.identifier = identifier
        self.library = library
        self.libraryDigest = libraryDigest
        staticVerdict = verdict
        self.results = results
        self.trials = trials
    }

    package var verdict: CheckVerdict {
        let ofTrials = trials.map { trial -> CheckVerdict in
            switch trial.outcome {
            case .pass, .warn, .skip: .conforms
            case .excluded: .passedWithExclusions
            case .fail, .crash, .timeout, .exitedEarly, .leak: .doesNotConform
            case .checkerError: .checkerFailed
            }
        }
        return ([staticVerdict] + ofTrials).max() ?? staticVerdict
    }

    func adding(_ trials: [TrialResult]) -> ManifestReport {
        ManifestReport(
            manifest: manifest,
            manifestDigest: manifestDigest,
            identifier: identifier,
            library: library,
            libraryDigest: libraryDigest,
            verdict: staticVerdict,
            results: results,
            trials: trials
        )
    }

    package func result(of check: PluginCheck) -> CheckResult? { results.first { $0.check == check } }

    private enum CodingKeys: String, CodingKey {
        case manifest, identifier, library, verdict, checks
        case manifestDigest = "manifest_digest"
        case libraryDigest = "library_digest"
    }

    /// Encodes the results of all levels as one list.
    package func encode(to encoder: any Encoder) throws {
        var document = encoder.container(keyedBy: CodingKeys.self)
        try document.encode(manifest, forKey: .manifest)
        try document.encode(manifestDigest, forKey: .manifestDigest)
        try document.encodeIfPresent(identifier, forKey: .identifier)
        try document.encodeIfPresent(library, forKey: .library)
        try document.encodeIfPresent(libraryDigest, forKey: .libraryDigest)
        try document.encode(verdict, forKey: .verdict)
        var checks = document.nestedUnkeyedContainer(forKey: .checks)
        for result in results { try checks.encode(result) }
        for result in trials { try checks.encode(result) }
    }
}

/// The overall result of the checks of a manifest, ordered from best to worst.
package enum CheckVerdict: String, CaseIterable, Hashable, Comparable, Sendable, Encodable {
    case conforms
    case passedWithExclusions = "passed-with-exclusions"
    case doesNotConform = "does-not-conform"
    case cannotBeLoaded = "cannot-be-loaded"
    /// The results of the checks contradict the decision of the catalogue, so both are unreliable; or a check could not
    /// be performed.
    case checkerFailed = "checker-failed"

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
