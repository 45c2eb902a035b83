// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import Sandbox
package import TaskModel

extension Guarantee {
    /// The enforcement of a guarantee on this machine.
    package enum Enforcement: Hashable, Sendable {
        case enforced(by: String)
        /// The guarantee is not enforced; the value is the reason.
        case notEnforced(String)
    }

    package func enforcement(
        _ isolation: Isolation,
        _ mechanisms: SandboxMechanisms,
        limiting: LimitMechanisms = .none
    ) -> Enforcement {
        if isolation == .off, !isLimit { return .notEnforced("isolation is off") }
        let filter =
            mechanisms.filtersSystemCalls
            ? nil
            : "the kernel lacks seccomp filters (CONFIG_SECCOMP_FILTER), or a container in which the host runs"
                + " forbids them"
        let noLandlock =
            "the kernel lacks Landlock (CONFIG_SECURITY_LANDLOCK, and landlock in the boot option lsm), or a container"
            + " in which the host runs forbids it"
        switch self {
        case .files:
            guard mechanisms.landlock != nil else { return .notEnforced(noLandlock) }
            if let filter {
                let open =
                    mechanisms.confinesTruncation
                    ? "modes, times and extended attributes can be changed by path"
                    : "modes, times and extended attributes can be changed, and files truncated, by path"
                return .notEnforced("Landlock confines the contents of files, but \(open): \(filter)")
            }
            let truncation = mechanisms.confinesTruncation ? "" : ", which also refuses truncation by path"
            return .enforced(by: "Landlock \(mechanisms.landlockVersion), seccomp\(truncation)")
        case .controlSocket:
            if let filter { return .notEnforced(filter) }
            let isConfined = mechanisms.landlock.map { $0.files & Landlock.resolveUnix != 0 } ?? false
            let means = isConfined ? "Landlock \(mechanisms.landlockVersion)" : "the host refuses calls of its launches"
            return .enforced(by: "seccomp; with the grant unix: \(means)")
        case .systemCalls: return filter.map { .notEnforced($0) } ?? .enforced(by: "seccomp")
        case .network:
            if let filter { return .notEnforced(filter) }
            let isInLandlock = mechanisms.landlock.map { $0.network != 0 } ?? false
            return .enforced(
                by: isInLandlock
                    ? "seccomp, Landlock \(mechanisms.landlockVersion)"
                    : "seccomp; a granted port opens every TCP port (Landlock confines ports since Linux 6.7)"
            )
        case .neighbours:
            if let filter { return .notEnforced(mechanisms.landlock == nil ? noLandlock : filter) }
            // The kernel refuses signals, tracing and changes of limits between users.
            let isConfined = mechanisms.landlock.map { $0.scopes != 0 } ?? false
            if !isConfined, limiting.hasOwnUsers {
                return .enforced(by: "a user of its own for each main plugin, seccomp")
            }
            if mechanisms.landlock == nil { return .notEnforced(noLandlock) }
            if !isConfined {
                return .notEnforced(
                    "the Landlock of this kernel does not confine signals; use Linux 6.12 or later, or give plugins"
                        + " users of their own (plugin-users)"
                )
            }
            return .enforced(by: "Landlock \(mechanisms.landlockVersion), seccomp")
        case .descendants:
            if let filter { return .notEnforced(filter) }
            let groups = limiting.controllers == nil ? "" : "control group and "
            return .enforced(by: "seccomp; with the grant processes: \(groups)process mark")
        case .memory: return limiting.memory
        case .processes: return limiting.processes
        case .disk: return limiting.disk(withoutFilter: isolation == .off ? "isolation is off" : filter)
        case .descriptors:
            if let filter {
                return .notEnforced(
                    "setrlimit limits each table of descriptors, and each thread can have one: \(filter)"
                )
            }
            return .enforced(by: "setrlimit, seccomp")
        case .privileges: return .enforced(by: "no_new_privs, no capabilities")
        }
    }
}
