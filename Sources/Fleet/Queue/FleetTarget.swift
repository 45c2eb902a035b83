// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The hosts that run an item: one host by name, any one host of a group, or each host of a group.
package enum FleetTarget: Hashable, Sendable, CustomStringConvertible {
    /// The item is bound to this host and never moves.
    case host(FleetName)
    /// One host of the group that has the plugin.
    case any(FleetName)
    /// A campaign: every host of the group that has the plugin, once for each host.
    case each(FleetName)

    /// The target in its written form, such as `any:builders`.
    package var description: String { "\(word):\(name)" }

    /// The name of the host or of the group.
    package var name: FleetName {
        switch self {
        case .host(let name), .any(let name), .each(let name): name
        }
    }

    private var word: String {
        switch self {
        case .host: "host"
        case .any: "any"
        case .each: "each"
        }
    }

    /// A problem of a written target, with its remedy.
    package struct Problem: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// Creates a target from its written form.
    ///
    /// - Throws: `Problem`.
    package init(_ text: String) throws(Problem) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw Problem(
                description: "target \"\(text)\" has no colon; write host:NAME, any:GROUP or each:GROUP"
            )
        }
        guard let name = FleetName(parts[1]) else {
            let flaw = FleetName.flaw(in: parts[1]) ?? "is invalid"
            throw Problem(description: "name \"\(parts[1])\" of target \"\(text)\" \(flaw)")
        }
        switch parts[0] {
        case "host": self = .host(name)
        case "any": self = .any(name)
        case "each": self = .each(name)
        default:
            throw Problem(
                description: "target \"\(text)\" begins with \"\(parts[0])\"; write host:NAME, any:GROUP or each:GROUP"
            )
        }
    }
}
