// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A grant that a manifest requests, and its effect under the limits of the operator.
package struct LimitedGrant: Hashable, Sendable {
    package enum Name: Hashable, Sendable {
        case network
        case connect
        case listen
        case unix
        case gpu
        case processes
        case path(GrantedRight.Access)

        /// The key of the grant in manifest and configuration.
        package var key: String {
            switch self {
            case .network: "network"
            case .connect: "connect"
            case .listen: "listen"
            case .unix: "unix"
            case .gpu: "gpu"
            case .processes: "processes"
            case .path(let access): access.rawValue
            }
        }
    }

    /// A place that a grant opens.
    package struct Place: Hashable, Sendable {
        package let path: String
        /// Paths of the operator's limits that contain `path`, one for each limit that applies. The sandbox refuses the
        /// place when a symbolic link leads out of one of them.
        package let within: [String]
    }

    package let name: Name
    /// The requested value: `true`, a port or a path.
    package let requested: String
    /// Key of the setting whose value is the path; nil for a path in the manifest.
    package let setting: String?
    /// The places that the grant opens; empty for a grant without a path and for a refused grant of paths.
    package private(set) var places: [Place]
    /// The ports to which the grant `network` is narrowed; nil for other grants, and when no limit of ports applies.
    package private(set) var ports: GrantedPorts?
    /// Whether nothing is left of the grant.
    package private(set) var isRefused = false
    /// The reason why required isolation refuses the grant: a clause with the protection that the kernel lacks and the
    /// excess that the grant would open. Nil when the grant is not refused for this reason.
    package private(set) var lackingMechanism: String?
    /// The keys of the configuration that narrow the grant, with their values.
    package private(set) var narrowings: [String] = []

    private init(_ name: Name, requested: String = "true", setting: String? = nil, places: [Place] = []) {
        self.name = name
        self.requested = requested
        self.setting = setting
        self.places = places
    }

    /// The grants of a plugin under limits, in the order of the manifest's keys.
    package static func all(of plugin: PluginEntry, under limits: GrantLimits) -> [LimitedGrant] {
        all(of: plugin.grants, settings: plugin.settings, narrowedBy: limits.entries(for: plugin))
    }

    /// The grants of a manifest, narrowed by limits, in the order of the manifest's keys. A granted setting without a
    /// value, or with a relative path, is left out: relative paths are within the container, which the plugin may use
    /// anyway.
    ///
    /// - Parameter settings: the values of the settings that `grants` names.
    package static func all(
        of grants: Grants,
        settings: [String: String],
        narrowedBy entries: [GrantLimits.Entry] = []
    ) -> [LimitedGrant] {
        var all: [LimitedGrant] = []
        if grants.network { all.append(LimitedGrant(.network)) }
        for port in grants.connect { all.append(LimitedGrant(.connect, requested: "\(port)")) }
        for port in grants.listen { all.append(LimitedGrant(.listen, requested: "\(port)")) }
        for path in grants.unix {
            all.append(LimitedGrant(.unix, requested: path, places: [Place(path: path, within: [])]))
        }
        if grants.gpu { all.append(LimitedGrant(.gpu)) }
        if grants.processes { all.append(LimitedGrant(.processes)) }
        func add(_ path: String, _ access: GrantedRight.Access, setting: String? = nil) {
            let place = Place(path: path, within: [])
            all.append(LimitedGrant(.path(access), requested: path, setting: setting, places: [place]))
        }
        for path in grants.read { add(path, .read) }
        for path in grants.write { add(path, .write) }
        for path in grants.execute { add(path, .execute) }
        for setting in grants.settings {
            guard let path = settings[setting.key], path.hasPrefix("/") else { continue }
            add(path, setting.access == .write ? .write : .read, setting: setting.key)
        }
        for entry in entries {
            for index in all.indices { all[index].apply(entry) }
        }
        return all
    }

    private mutating func apply(_ entry: GrantLimits.Entry) {
        switch name {
        case .network, .connect, .listen:
            refuse(if: entry.limit.network == false, "network", entry)
            if let ports = entry.limit.ports { narrow(to: ports, entry) }
        case .gpu: refuse(if: entry.limit.gpu == false, "gpu", entry)
        case .unix:
            if let paths = entry.limit.unix { narrow(to: paths, entry) }
        case .processes: refuse(if: entry.limit.processes == false, "processes", entry)
        case .path(let access):
            if let paths = entry.limit.paths[access] { narrow(to: paths, entry) }
        }
    }

    private mutating func refuse(if isLimited: Bool, _ key: String, _ entry: GrantLimits.Entry) {
        if !isLimited { return }
        isRefused = true
        narrowings.append("\(entry.key(key)) is false")
    }

    /// Applies a limit of ports to this grant of the network: a grant of the whole network keeps only the ports of
    /// `limit`, and a grant of a single port that `limit` does not have is refused.
    private mutating func narrow(to limit: GrantedPorts, _ entry: GrantLimits.Entry) {
        let port = Int(requested)
        switch name {
        case .connect where port.map(limit.connect.contains) == true: return
        case .listen where port.map(limit.listen.contains) == true: return
        case .network:
            let left = ports?.intersection(limit) ?? limit
            if left == ports { return }
            ports = left
            if left.isEmpty { isRefused = true }
        default: isRefused = true
        }
        narrowings.append("\(entry.key("network")) is \(limit.text)")
    }

    /// Refuses the grant, because the kernel lacks a mechanism that would confine it.
    package mutating func leaveOut(because lackingMechanism: String) {
        isRefused = true
        places = []
        self.lackingMechanism = lackingMechanism
    }

    /// Narrows each place to its intersections with the limits.
    private mutating func narrow(to limits: [String], _ entry: GrantLimits.Entry) {
        let before = places
        places = before.flatMap { place in
            // A path with .. may lead out of a limit that contains its text.
            if place.path.split(separator: "/").contains("..") { return [Place]() }
            let around = limits.filter { PathRelation.contains($0, place.path) }
            if let limit = around.max(by: { $0.utf8.count < $1.utf8.count }) {
                return [Place(path: place.path, within: place.within + [limit])]
            }
            return limits.filter { PathRelation.contains(place.path, $0) }.map { limit in
                Place(path: limit, within: place.within + [limit])
            }
        }
        if places.map(\.path) == before.map(\.path) { return }
        isRefused = places.isEmpty
        let list = limits.isEmpty ? "empty" : limits.joined(separator: ", ")
        narrowings.append("\(entry.key(name.key)) is \(list)")
    }
}
