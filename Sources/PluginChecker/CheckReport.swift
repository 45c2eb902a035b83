// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Everything that one run of the checker found: the document that `--json` prints.
///
/// `format` is the version of its shape: keys may be added to a format, none changes or goes.
package struct CheckReport: Hashable, Sendable, Encodable {
    package let format = 1
    /// The version of the checker.
    package let tool: String
    /// The ABI that plugins were held against, as MAJOR.MINOR.
    package let abi: String
    /// How deep it looked: 0 reads files and runs nothing.
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

/// What one manifest and its library came to.
package struct ManifestReport: Hashable, Sendable, Encodable {
    package let manifest: String
    /// SHA-256; empty when the file could not be read.
    package let manifestDigest: String
    /// Nil when the file does not even tell that.
    package let identifier: String?
    /// Nil when there is none to read.
    package let library: String?
    /// SHA-256; nil when there is none to read.
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

/// The result in one word, the worst last.
package enum CheckVerdict: String, CaseIterable, Hashable, Comparable, Sendable, Encodable {
    case conforms
    case passedWithExclusions = "passed-with-exclusions"
    case doesNotConform = "does-not-conform"
    case cannotBeLoaded = "cannot-be-loaded"
    /// Its answers and the catalogue's differ; trust neither.
    case checkerFailed = "checker-failed"

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
