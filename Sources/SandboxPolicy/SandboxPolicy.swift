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

    /// - Parameters:
    ///   - privatePlaces: files and directories that no plugin may use.
    ///   - cataloguePlaces: directories of manifests and libraries, which no grant may overlap.
    package init(
        _ isolation: Isolation,
        mechanisms: SandboxMechanisms = .probed(),
        privatePlaces: [String],
        cataloguePlaces: [String]
    ) throws(Refusal) {
        self.isolation = isolation
        self.mechanisms = mechanisms
        self.privatePlaces = privatePlaces.map(Self.resolved)
        self.cataloguePlaces = cataloguePlaces.map(Self.resolved)
        if isolation == .required {
            for guarantee in Guarantee.allCases where guarantee.canBeRequired {
                guard case .notEnforced(let reason) = guarantee.enforcement(isolation, mechanisms) else { continue }
                throw Refusal(
                    description: "isolation is required, and the guarantee \(guarantee.rawValue) cannot be enforced:"
                        + " \(reason); use a kernel that can enforce it, or write isolation: best-effort"
                )
            }
        }
        var filters: [FilterKey: [UInt8]] = [:]
        if isolation != .off, mechanisms.filtersSystemCalls {
            for network in [false, true] {
                for processes in [false, true] {
                    do throws(SystemCallFilter.Failure) {
                        filters[FilterKey(network: network, processes: processes)] =
                            try SystemCallRules.filter(network: network, processes: processes)
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
        plan(for: plugin.library.path, plugin.grants, settings: plugin.settings)
    }

    /// The sandbox of a process that loads this library; nil when isolation is off.
    ///
    /// - Parameter settings: the values of the settings that `grants` names.
    package func plan(for library: String, _ grants: Grants, settings: [String: String]) -> SandboxPlan? {
        if isolation == .off { return nil }
        var landlock = mechanisms.landlock
        if grants.network { landlock?.network = 0 }
        return SandboxPlan(
            landlock: landlock,
            library: libraryPlace(library),
            granted: Self.places(of: grants, settings),
            reserved: reserved,
            filter: filters[FilterKey(network: grants.network, processes: grants.processes)] ?? []
        )
    }

    /// The places that the grants of a plugin name. A granted setting without a value, or with a relative path, names
    /// no place: relative paths are within the container, which the plugin may use anyway.
    package func places(of plugin: PluginEntry) -> [SandboxPlan.Place] {
        Self.places(of: plugin.grants, plugin.settings)
    }

    private static func places(of grants: Grants, _ settings: [String: String]) -> [SandboxPlan.Place] {
        let named: [(SandboxPlan.Access, [String])] = [
            (.read, grants.read), (.write, grants.write), (.execute, grants.execute),
        ]
        var places = named.flatMap { access, paths in paths.map { SandboxPlan.Place(path: $0, access: access) } }
        for setting in grants.settings {
            guard let path = settings[setting.key], path.hasPrefix("/") else { continue }
            places.append(SandboxPlan.Place(path: path, access: setting.access == .write ? .write : .read))
        }
        return places
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
