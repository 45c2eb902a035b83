// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
package import TaskModel

/// The operator's choice of the users that run plugins.
package enum PluginUserChoice: Hashable, Sendable {
    /// A user per main plugin from the host's range in `/etc/subuid`, if the host may change users and has a range;
    /// otherwise the host's own user. A host that runs as root does not start with this choice.
    case automatic
    /// The host's own user, even if this is root.
    case host
    /// A user per main plugin from this range.
    case range(UserRange)

    /// Reads the choice; returns nil after it has reported an invalid value.
    init?(_ value: Field<String>, problems: ProblemCollector) {
        switch value.value {
        case "auto": self = .automatic
        case "host": self = .host
        case let text:
            guard let range = UserRange(text) else {
                problems.report(
                    .wrongValue,
                    at: value,
                    "is \(text.inQuotes), which is neither auto, host nor a range FIRST-LAST of user numbers from"
                        + " \(UserRange.permitted.lowerBound) to \(UserRange.permitted.upperBound)",
                    remedy: "write auto, host or a range that no account of this machine uses, such as 600000-665535"
                )
                return nil
            }
            self = .range(range)
        }
    }
}
