// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// An upper bound that the operator sets for the grants of plugins. A property that is nil leaves its grant as the
/// manifest requests it.
package struct GrantLimit: Hashable, Sendable {
    package var network: Bool?
    /// The TCP ports to which the network is limited; nil for no limit of ports.
    package var ports: GrantedPorts?
    package var processes: Bool?
    package var gpu: Bool?
    /// The Unix sockets, or directories of sockets, to which connections are limited.
    package var unix: [String]?
    /// The files and directories to which each access is limited. The limit also applies to paths that come from
    /// settings.
    package var paths: [GrantedRight.Access: [String]]

    package init(
        network: Bool? = nil,
        ports: GrantedPorts? = nil,
        processes: Bool? = nil,
        gpu: Bool? = nil,
        unix: [String]? = nil,
        paths: [GrantedRight.Access: [String]] = [:]
    ) {
        self.network = network
        self.ports = ports
        self.processes = processes
        self.gpu = gpu
        self.unix = unix
        self.paths = paths
    }

    /// The limits, as `network false` or `write /srv/feed`.
    package var words: [String] {
        let booleans = [("network", network), ("processes", processes), ("gpu", gpu)].compactMap { name, value in
            value.map { "\(name) \($0)" }
        }
        let named = [("unix", unix)] + GrantedRight.Access.allCases.map { ($0.rawValue, paths[$0]) }
        let lists = named.compactMap { name, paths in
            paths.map { "\(name) \($0.isEmpty ? "none" : $0.joined(separator: ", "))" }
        }
        return (ports.map { ["network \($0.text)"] } ?? []) + booleans + lists
    }
}

/// The limits of all plugins. Every entry whose pattern matches a plugin applies, so an entry cannot widen another one.
package struct GrantLimits: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let pattern: PluginPattern
        package let limit: GrantLimit

        package init(_ pattern: PluginPattern, _ limit: GrantLimit) {
            self.pattern = pattern
            self.limit = limit
        }

        /// Path of a key of the configuration, for messages.
        func key(_ name: String) -> String { "grant-limits.\(pattern).\(name)" }
    }

    package static let none = GrantLimits()

    /// The entries, sorted by pattern.
    package let entries: [Entry]

    package init(_ entries: [Entry] = []) {
        self.entries = entries.sorted { $0.pattern.description < $1.pattern.description }
    }

    /// The entries for a plugin. The limits of a main plugin apply to its extensions too: they share its container and
    /// its user.
    func entries(for plugin: PluginEntry) -> [Entry] {
        entries.filter { entry in
            entry.pattern.matches(plugin.identifier) || plugin.containingPlugin.map(entry.pattern.matches) ?? false
        }
    }
}
