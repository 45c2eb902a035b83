// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import TaskModel

extension HostConfiguration {
    /// Reads the isolation: one of the choices, such as `best-effort`, or the list of the guarantees that the host has
    /// to enforce.
    mutating func readIsolation(_ mapping: DiagnosingMapping) {
        guard let field = mapping.node("isolation") else { return }
        guard case .list = field.value.content else {
            let words = Isolation.allCases.map(\.rawValue)
            let expected = "one of \(words.joined(separator: ", ")), or a list of guarantees"
            guard let word = mapping.string(field, expected: expected) else { return }
            if let choice = Isolation(rawValue: word.value) {
                isolation = choice
                requiredGuarantees = Guarantee.ofSandbox
            } else if Guarantee(rawValue: word.value) != nil {
                mapping.problems.report(
                    .wrongValue,
                    at: word,
                    "is \(word.value.inQuotes), which is a guarantee and not a list of guarantees",
                    remedy: "write [\(word.value)] in the configuration file"
                )
            } else {
                mapping.problems.report(word, notAmong: words)
            }
            return
        }
        guard let listed = mapping.strings("isolation") else { return }
        var guarantees: Set<Guarantee> = []
        for item in listed.value {
            if let guarantee = Guarantee(rawValue: item.value) {
                guarantees.insert(guarantee)
            } else {
                mapping.problems.report(item, notAmong: Guarantee.allCases.map(\.rawValue))
            }
        }
        if listed.value.isEmpty {
            mapping.problems.report(
                .wrongValue,
                at: listed,
                "is an empty list of guarantees",
                remedy: "list at least one guarantee of bgtask host status, or write best-effort"
            )
        }
        guard !guarantees.isEmpty else { return }
        isolation = .required
        requiredGuarantees = guarantees
    }
}
