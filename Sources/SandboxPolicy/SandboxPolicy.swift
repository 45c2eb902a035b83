// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
package import RunnerWire
import Sandbox
package import TaskModel

/// Decides the sandbox of each launch. Contains the mechanisms of the kernel, the filter of system calls for each
/// combination of grants, and the places of the host that no plugin may reach. Created once, when the host starts.
package struct SandboxPolicy: Sendable {
    /// The reason why the policy cannot be applied. The host must not start then.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String
    }

    private struct FilterKey: Hashable {
        let network: Bool
        let processes: Bool
    }

    package let isolation: Isolation
    package let mechanisms: SandboxMechanisms
    /// Files and directories of the host that no plugin may use, without symbolic links: the state directory, the
    /// control socket and the configuration file.
    private let privatePlaces: [String]
    private let cataloguePlaces: [String]
    private let filters: [FilterKey: [UInt8]]
    private let limits: GrantLimits

    /// - Parameters:
    ///   - privatePlaces: files and directories that no plugin may use.
    ///   - cataloguePlaces: directories of manifests and libraries, which no grant may overlap.
    ///   - limits: the operator's limits of grants.
    package init(
        _ isolation: Isolation,
        mechanisms: SandboxMechanisms = .probed(),
        privatePlaces: [String],
        cataloguePlaces: [String],
        limits: GrantLimits = .none
    ) throws(Refusal) {
        self.isolation = isolation
        self.mechanisms = mechanisms
        self.limits = limits
        self.privatePlaces = privatePlaces.map(Self.resolved)
        self.cataloguePlaces = cataloguePlaces.map(Self.resolved)
        if isolation == .required {
            for guarantee in Guarantee.allCases where guarantee.canBeRequired {
                guard case .notEnforced(let reason) = guarantee.enforcement(isolation, mechanisms) else { continue }
                throw Refusal(
                    description: "isolation is required, and the guarantee \(guarantee.rawValue) cannot be enforced:"
                        + " \(reason); use a kernel that can enforce it and a container that allows it, or write"
                        + " isolation: best-effort"
                )
            }
        }
        var filters: [FilterKey: [UInt8]] = [:]
        if isolation != .off, mechanisms.filtersSystemCalls {
            for network in [false, true] {
                for processes in [false, true] {
                    do throws(SystemCallFilter.Failure) {
                        filters[FilterKey(network: network, processes: processes)] =
                            try SystemCallRules.filter(
                                network: network,
                                processes: processes,
                                confinesTruncation: mechanisms.confinesTruncation
                            )
                    } catch {
                        throw Refusal(description: "\(error), or write isolation: off")
                    }
                }
            }
        }
        self.filters = filters
    }

    private var reserved: [String] { privatePlaces + cataloguePlaces }

    /// The sandbox of a launch of this plugin; nil when isolation is off.
    package func plan(for plugin: PluginEntry) -> SandboxPlan? {
        plan(for: plugin.library.path, grants(of: plugin))
    }

    /// The sandbox of a process that loads this library; nil when isolation is off.
    package func plan(for library: String, _ grants: [LimitedGrant]) -> SandboxPlan? {
        if isolation == .off { return nil }
        func isGranted(_ name: LimitedGrant.Name) -> Bool { grants.contains { $0.name == name && !$0.isRefused } }
        let key = FilterKey(network: isGranted(.network), processes: isGranted(.processes))
        var landlock = mechanisms.landlock
        if key.network { landlock?.network = 0 }
        return SandboxPlan(
            landlock: landlock,
            library: libraryPlace(library),
            granted: grants.flatMap(Self.places),
            reserved: reserved,
            filter: filters[key] ?? []
        )
    }

    /// The grants of a plugin, under the limits of the operator.
    package func grants(of plugin: PluginEntry) -> [LimitedGrant] { LimitedGrant.all(of: plugin, under: limits) }

    /// The places that a grant opens, unless they are reserved.
    package static func places(of grant: LimitedGrant) -> [SandboxPlan.Place] {
        guard case .path(let access) = grant.name else { return [] }
        return grant.places.map { place in
            SandboxPlan.Place(path: place.path, access: SandboxPlan.Access(access), within: place.within)
        }
    }

    /// The place of the host that overlaps a granted place, so that the grant is left out; nil when the grant is
    /// effective.
    package func reservation(of place: SandboxPlan.Place) -> String? {
        let path = Self.resolved(place.path)
        return reserved.first { PathRelation.overlaps($0, path) }
    }

    /// The place that is opened for a library. The library's directory, so that it can load private libraries beside
    /// it, if the directory belongs to the catalogue and overlaps no private place of the host. Otherwise the library
    /// file alone.
    private func libraryPlace(_ library: String) -> String {
        let directory = PathRelation.parent(library)
        let resolved = Self.resolved(directory)
        let isInCatalogue = cataloguePlaces.contains { PathRelation.contains($0, resolved) }
        let holdsPrivate = privatePlaces.contains { PathRelation.overlaps($0, resolved) }
        return isInCatalogue && !holdsPrivate ? directory : library
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

extension SandboxPlan.Access {
    fileprivate init(_ access: GrantedRight.Access) {
        switch access {
        case .read: self = .read
        case .write: self = .write
        case .execute: self = .execute
        }
    }
}
