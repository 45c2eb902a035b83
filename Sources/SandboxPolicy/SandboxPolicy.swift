// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
package import RunnerWire
import Sandbox
package import TaskModel

/// Decides the sandbox of each launch. Contains the mechanisms of the kernel, the filters of system calls, and the
/// places of the host that no plugin may reach. The host creates its policy once, when it starts.
package struct SandboxPolicy: Sendable {
    /// The reason why the policy cannot be applied. The host must not start then.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String
    }

    package let isolation: Isolation
    /// The guarantees without which the host refuses to start; empty unless isolation is required.
    package let required: Set<Guarantee>
    package let mechanisms: SandboxMechanisms
    /// Files and directories of the host that no plugin may use, without symbolic links, such as the state directory
    /// and the control socket.
    private let privatePlaces: [String]
    private let cataloguePlaces: [String]
    /// The compiled filters of system calls; nil when launches have no filter.
    private let filters: SystemCallFilters?
    private let limits: GrantLimits

    /// Throws when isolation is required and a required guarantee of the sandbox cannot be enforced, or when libseccomp
    /// cannot compile a filter.
    ///
    /// - Parameters:
    ///   - required: the guarantees that required isolation demands; without effect for another isolation.
    ///   - privatePlaces: files and directories that no plugin may use.
    ///   - cataloguePlaces: directories of manifests and libraries, which no grant may overlap.
    ///   - limits: the operator's limits of grants.
    ///   - hasOwnUsers: whether plugins have users of their own.
    package init(
        _ isolation: Isolation,
        requiring required: Set<Guarantee> = Guarantee.ofSandbox,
        mechanisms: SandboxMechanisms = .probed(),
        privatePlaces: [String],
        cataloguePlaces: [String],
        limits: GrantLimits = .none,
        hasOwnUsers: Bool = false
    ) throws(Refusal) {
        self.isolation = isolation
        self.mechanisms = mechanisms
        self.limits = limits
        self.privatePlaces = privatePlaces.map(Self.resolved)
        self.cataloguePlaces = cataloguePlaces.map(Self.resolved)
        self.required = isolation == .required ? required : []
        try Self.checkSandbox(self.required, mechanisms, hasOwnUsers: hasOwnUsers)
        guard isolation != .off, mechanisms.filtersSystemCalls else {
            filters = nil
            return
        }
        do throws(SystemCallFilter.Failure) {
            filters = try SystemCallFilters(confinesTruncation: mechanisms.confinesTruncation)
        } catch {
            throw Refusal(description: "\(error), or set isolation to off")
        }
    }

    private var reserved: [String] { privatePlaces + cataloguePlaces }

    /// The sandbox of a launch of this plugin; nil when isolation is off.
    package func plan(for plugin: PluginEntry) -> SandboxPlan? {
        plan(for: plugin.library.path, with: plugin.companions, grants(of: plugin))
    }

    /// The sandbox of a process that loads this library; nil when isolation is off.
    ///
    /// - Parameter companions: the files beside the library that the process may use.
    package func plan(
        for library: String,
        with companions: LibraryCompanions = .files([]),
        _ grants: [LimitedGrant]
    ) -> SandboxPlan? {
        if isolation == .off { return nil }
        let opened = self.opened(library, companions)
        let grants = enforceable(grants).filter { !$0.isRefused }
        let names = Set(grants.map(\.name))
        let ports = grants.flatMap(Self.ports)
        let internet: SystemCallRules.Sockets.Internet =
            grants.contains { $0.name == .network && $0.ports == nil }
            ? .all
            : ports.contains { $0.rights == Landlock.bind } ? .listen : ports.isEmpty ? .none : .connect
        let filtered = SystemCallFilters.Grants(
            sockets: SystemCallRules.Sockets(internet: internet, unix: names.contains(.unix)),
            processes: names.contains(.processes)
        )
        var landlock = mechanisms.landlock
        if internet == .all { landlock?.network = 0 }
        return SandboxPlan(
            landlock: landlock,
            library: opened.library,
            companions: opened.companions,
            granted: grants.flatMap(Self.places),
            ports: ports,
            reserved: reserved,
            filter: filters?.filter(for: filtered) ?? []
        )
    }

    /// The grants of a plugin, under the limits of the operator and the isolation.
    package func grants(of plugin: PluginEntry) -> [LimitedGrant] {
        enforceable(LimitedGrant.all(of: plugin, under: limits))
    }

    /// The requested grants. Those that this kernel can only open wider than the manifest requests are marked as left
    /// out if this would break a required guarantee.
    package func enforceable(_ requested: [LimitedGrant]) -> [LimitedGrant] {
        var grants = requested
        for index in grants.indices where !grants[index].isRefused {
            guard protects(from: grants[index]), let excess = excess(of: grants[index]) else { continue }
            grants[index].leaveOut(because: excess)
        }
        return grants
    }

    /// The reason why a grant opens more than the manifest requests, because of a missing mechanism; nil when it does
    /// not.
    package func excess(of grant: LimitedGrant) -> String? {
        let rights = mechanisms.landlock ?? LandlockRights(files: 0, network: 0, scopes: 0)
        switch grant.name {
        case .network where grant.ports == nil: return nil
        case .network, .connect, .listen:
            return rights.network == 0
                ? "this kernel does not confine ports (needs Landlock of Linux 6.7): a grant of one port opens"
                    + " every TCP port" : nil
        case .unix:
            return rights.files & Landlock.resolveUnix == 0
                ? "this kernel does not confine Unix sockets (needs Landlock 9): a grant of one socket opens every"
                    + " socket that the user of the plugin may open" : nil
        case .gpu:
            return rights.files & Landlock.controlDevice == 0
                ? "this kernel does not confine control calls of devices (ioctl; needs Landlock of Linux 6.10)" : nil
        case .processes, .path: return nil
        }
    }

    /// The places that a grant names. Those that overlap a reserved place are included, although the sandbox does not
    /// open them.
    package static func places(of grant: LimitedGrant) -> [SandboxPlan.Place] {
        if grant.name == .gpu, !grant.isRefused { return gpuPlaces }
        return grant.places.compactMap { place in
            grant.name.access.map { SandboxPlan.Place(path: place.path, access: $0, within: place.within) }
        }
    }

    /// The device nodes of graphics processors, and the directories by which libraries find them.
    private static let gpuPlaces: [SandboxPlan.Place] =
        [SandboxPlan.Place(path: "/dev/dri", access: .device)]
        + ["/sys/class/drm", "/sys/dev/char", "/sys/devices"].map { SandboxPlan.Place(path: $0, access: .read) }

    private static func ports(of grant: LimitedGrant) -> [SandboxPlan.Port] {
        func ports(_ numbers: [Int], _ rights: UInt64) -> [SandboxPlan.Port] {
            numbers.compactMap { UInt16(exactly: $0) }.map { SandboxPlan.Port($0, rights: rights) }
        }
        switch grant.name {
        case .connect: return ports(Int(grant.requested).map { [$0] } ?? [], Landlock.connect)
        case .listen: return ports(Int(grant.requested).map { [$0] } ?? [], Landlock.bind)
        case .network:
            return ports(grant.ports?.connect ?? [], Landlock.connect)
                + ports(grant.ports?.listen ?? [], Landlock.bind)
        default: return []
        }
    }

    /// The place of the host that overlaps a granted place, so that the grant is left out; nil when the grant is
    /// effective.
    package func reservation(of place: SandboxPlan.Place) -> String? {
        let path = Self.resolved(place.path)
        return reserved.first { PathRelation.overlaps($0, path) }
    }

    /// The places that are opened for a library. The library file alone if its directory lies outside of the
    /// catalogue's directories, or overlaps a private place of the host. Otherwise the directory of a stored version,
    /// or the library file and its companions: other plugins may have files in the directory.
    private func opened(
        _ library: String,
        _ companions: LibraryCompanions
    ) -> (library: String, companions: [CompanionFile]) {
        let directory = PathRelation.parent(library)
        let resolved = Self.resolved(directory)
        let isInCatalogue = cataloguePlaces.contains { PathRelation.contains($0, resolved) }
        let holdsPrivate = privatePlaces.contains { PathRelation.overlaps($0, resolved) }
        guard isInCatalogue, !holdsPrivate else { return (library, []) }
        switch companions {
        case .directory: return (directory, [])
        case .files(let files): return (library, files)
        }
    }

    /// The path with symbolic links resolved in the part of the path that exists.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else {
            let parent = PathRelation.parent(path)
            if parent == path || path == "/" { return path }
            return resolved(parent) + "/" + (path.split(separator: "/").last.map(String.init) ?? "")
        }
        defer { free(real) }
        return String(cString: real)
    }
}

extension LimitedGrant.Name {
    /// The access to the places of the grant; nil for a grant without places.
    fileprivate var access: SandboxPlan.Access? {
        switch self {
        case .path(.read): .read
        case .path(.write): .write
        case .path(.execute): .execute
        case .unix: .unix
        case .gpu: .device
        case .network, .connect, .listen, .processes: nil
        }
    }
}
