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

    /// Reports an invalid plugin or task identifier. The message contains the violated rule of reverse-DNS names, or of
    /// task identifiers.
    ///
    /// - Parameters:
    ///   - field: the identifier: a value, or the name of a key.
    ///   - name: the part of the value that violates the rule, before the star of a pattern; nil for the whole value.
    ///   - isTask: whether the field is the identifier of a task, which may have one label.
    ///   - isKey: whether the identifier is the name of a key. The message does not repeat it then.
    ///   - remedy: nil for the remedy of the violated rule.
    package func reportIdentifier(
        _ field: Field<String>,
        of name: String? = nil,
        isTask: Bool = false,
        isKey: Bool = false,
        remedy: String? = nil
    ) {
        let flaw = ReverseDNSName.flaw(in: name ?? field.value, allowsOneLabel: isTask) ?? .unknown
        var shown = isKey ? "" : "\(field.value.inQuotes) "
        if let name, name != field.value {
            shown = "is the pattern \(field.value.inQuotes), whose part \(name.inQuotes) "
        }
        report(.identifier, at: field, shown + flaw.problem, remedy: remedy ?? flaw.remedy)
    }
}
