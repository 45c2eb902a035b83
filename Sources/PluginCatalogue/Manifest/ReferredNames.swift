// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import TaskModel

/// The names of a manifest to which its handlers refer: permitted identifiers or settings. A manifest may have thousands
/// of handlers and thousands of names, so each reference is looked up in constant time.
struct ReferredNames {
    /// Maximum number of comparisons for suggestions. References beyond it are reported without a suggestion.
    private static let mostComparisons = 10_000

    /// Whether the names have reported errors. References are not compared with such names.
    let hasErrors: Bool
    private let names: [String]
    private let known: Set<String>
    private var comparisons = 0

    init(_ names: [String], hasErrors: Bool) {
        self.hasErrors = hasErrors
        self.names = names
        known = Set(names)
    }

    func contains(_ name: String) -> Bool { known.contains(name) }

    /// The most similar name; nil when none is similar, or after too many comparisons.
    mutating func nearest(to name: String) -> String? {
        guard comparisons + names.count <= Self.mostComparisons else { return nil }
        comparisons += names.count
        return NearestWord.to(name, among: names)
    }
}
