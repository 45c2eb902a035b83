// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import TaskModel

// The keys of limits of grants.
extension HostConfiguration {
    static func grantLimits(_ mapping: DiagnosingMapping) -> GrantLimits {
        let entries = mapping.mappings("grant-limits") { name, limits -> GrantLimits.Entry? in
            let network = network(limits)
            let limit = GrantLimit(
                network: network.isPermitted,
                ports: network.ports,
                processes: limits.boolean("processes")?.value,
                gpu: limits.boolean("gpu")?.value,
                unix: limits.strings("unix").map { paths($0, limits.problems) },
                paths: paths(limits)
            )
            return pattern(name, mapping.problems).map { GrantLimits.Entry($0, limit) }
        }
        return GrantLimits(entries.compactMap(\.self))
    }

    /// The pattern of plugins that a text describes; nil for another text, which is reported.
    static func pattern(_ text: Field<String>, _ problems: ProblemCollector) -> PluginPattern? {
        if let pattern = PluginPattern(text.value) { return pattern }
        problems.report(
            .identifier,
            at: text,
            "is neither *, the identifier of a plugin, nor an identifier with .* at its end",
            remedy: "write \"*\" for all plugins, com.example.feed for one, or com.example.* for several"
        )
        return nil
    }

    /// The limit of the network: whether it is permitted, or the permitted ports.
    private static func network(_ limits: DiagnosingMapping) -> (isPermitted: Bool?, ports: GrantedPorts?) {
        guard case .mapping? = limits.node("network")?.value.content else {
            return (limits.boolean("network")?.value, nil)
        }
        let ports = limits.mapping("network") { network in
            GrantedPorts(
                connect: (network.strings("connect")?.value ?? []).compactMap { port($0, network.problems) },
                listen: (network.strings("listen")?.value ?? []).compactMap { port($0, network.problems) }
            )
        }
        return (nil, ports)
    }

    private static func port(_ port: Field<String>, _ problems: ProblemCollector) -> Int? {
        if let number = Int(port.value), Grants.ports.contains(number) { return number }
        problems.report(
            .wrongValue,
            at: port,
            "is \(port.value.inQuotes), not a TCP port from \(Grants.ports.lowerBound) to \(Grants.ports.upperBound)",
            remedy: "write the number of the port; network: false refuses every port"
        )
        return nil
    }

    /// The limits of paths, by access. An access without a key has no limit.
    private static func paths(_ limits: DiagnosingMapping) -> [GrantedRight.Access: [String]] {
        var paths: [GrantedRight.Access: [String]] = [:]
        let lists: [(GrantedRight.Access, Field<[Field<String>]>?)] = [
            (.read, limits.strings("read")), (.write, limits.strings("write")), (.execute, limits.strings("execute")),
        ]
        for (access, list) in lists {
            if let list { paths[access] = Self.paths(list, limits.problems) }
        }
        return paths
    }

    /// The valid paths of a list. Any other path is reported and left out; the rest of the list remains a limit.
    private static func paths(_ list: Field<[Field<String>]>, _ problems: ProblemCollector) -> [String] {
        list.value.compactMap { path in
            let parts = path.value.split(separator: "/")
            if path.value.hasPrefix("/"), !parts.contains(".."), !parts.contains(".") { return path.value }
            problems.report(
                .wrongValue,
                at: path,
                "is \"\(path.value)\", not an absolute path without . and ..",
                remedy: "write the absolute path, without the parts . and .."
            )
            return nil
        }
    }
}
