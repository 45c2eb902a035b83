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
    /// Depth of the checks: 0 reads files and runs nothing.
    package let level = 0
    package let verdict: CheckVerdict
    package let manifests: [ManifestReport]

    init(tool: String, abi: String, manifests: [ManifestReport]) {
        self.tool = tool
        self.abi = abi
        self.manifests = manifests
        verdict = manifests.map(\.verdict).max() ?? .conforms
    }
}

/// Results for one manifest and its library.
package struct ManifestReport: Hashable, Sendable, Encodable {
    package let manifest: String
    /// SHA-256 digest of the manifest in lower-case hexadecimal; empty when the file could not be read.
    package let manifestDigest: String
    /// The identifier of the plugin; nil when it could not be read.
    package let identifier: String?
    /// Path of the library; nil when there is no readable library.
    package let library: String?
    /// SHA-256 digest of the library in lower-case hexadecimal; nil when there is no readable library.
    package let libraryDigest: String?
    package let verdict: CheckVerdict
    package let results: [CheckResult]

    package func result(of check: PluginCheck) -> CheckResult? { results.first { $0.check == check } }

    private enum CodingKeys: String, CodingKey {
        case manifest, identifier, library, verdict
        case manifestDigest = "manifest_digest"
        case libraryDigest = "library_digest"
        case results = "checks"
    }
}

/// The overall result of the checks of a manifest, ordered from best to worst.
package enum CheckVerdict: String, CaseIterable, Hashable, Comparable, Sendable, Encodable {
    case conforms
    case passedWithExclusions = "passed-with-exclusions"
    case doesNotConform = "does-not-conform"
    case cannotBeLoaded = "cannot-be-loaded"
    /// The results of the checks contradict the decision of the catalogue, so both are unreliable.
    case checkerFailed = "checker-failed"

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
