// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import Scheduling
import TaskModel

// The key `retry` of a plugin: the operator's decisions about retries after failures.
extension HostConfiguration {
    /// Reads the choice for all tasks of the plugin, or the choices for single identifiers.
    static func retries(_ plugin: DiagnosingMapping) -> RetryChoices {
        guard case .mapping? = plugin.node("retry")?.value.content else {
            return RetryChoices(plugin.choice("retry", of: RetryWord.self)?.value.choice ?? .refuse)
        }
        let own = plugin.fieldsOrMappings("retry") { $0.failureRetryValues() }.compactMap { name, value in
            retryChoice(name, value, plugin.problems)
        }
        return RetryChoices(own: Dictionary(own) { first, _ in first })
    }

    private static func retryChoice(
        _ name: Field<String>,
        _ value: DiagnosingMapping.TextOrMapping<FailureRetry.Values>,
        _ problems: ProblemCollector
    ) -> (PermittedIdentifier, RetryChoices.Choice)? {
        guard let identifier = PermittedIdentifier(name.value) else {
            problems.reportIdentifier(
                name,
                isTask: true,
                isKey: true,
                remedy: "write an identifier that the plugin's manifest permits"
            )
            return nil
        }
        switch value {
        case .mapping(let values): return (identifier, .override(values))
        case .text(let word):
            if let known = RetryWord(rawValue: word.value) { return (identifier, known.choice) }
            problems.report(
                word,
                notAmong: RetryWord.allCases.map(\.rawValue),
                remedy: "write accept, refuse, or terms such as { attempts: 3, delay: 1min }"
            )
            return nil
        }
    }
}

private enum RetryWord: String, CaseIterable {
    case accept
    case refuse

    var choice: RetryChoices.Choice { self == .accept ? .accept : .refuse }
}
