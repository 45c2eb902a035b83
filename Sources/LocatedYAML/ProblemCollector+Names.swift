// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import TaskModel

// Errors that the readers of several kinds of file have in common.
extension ProblemCollector {
    /// Reports a word that is not one of the words that are allowed at its place.
    ///
    /// - Parameter remedy: nil for the remedy that suggests the nearest allowed word.
    package func report(_ word: Field<String>, notAmong allowed: [String], remedy: String? = nil) {
        report(
            .wrongValue,
            at: word,
            "is \(word.value.inQuotes), which is not one of \(allowed.joined(separator: ", "))",
            remedy: remedy ?? NearestWord.remedy(for: word.value, amongListed: allowed)
        )
    }
}
