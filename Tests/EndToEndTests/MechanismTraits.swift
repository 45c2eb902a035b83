// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import HostTestKit
import Testing

// Tests of a mechanism that this machine lacks are skipped with its name.
extension Trait where Self == ConditionTrait {
    /// Skips the test unless the kernel confines the plugins of a host from `HostSetup()`.
    static var needsSandbox: Self { needs(MissingMechanism.sandbox) }

    /// Skips the test unless root runs it and the kernel confines plugins that have the user of the host.
    static var needsSandboxOfOrdinaryUser: Self {
        needs(getuid() == 0 ? MissingMechanism.sandboxOfOneUser : "only root starts a host of another user")
    }

    /// Skips the test unless control groups limit the memory of launches.
    static var needsMemoryLimit: Self { needs(MissingMechanism.memoryLimit) }

    /// Skips the test unless a host can run as another user with the capabilities of the unit.
    static var needsSystemUser: Self { needs(MissingMechanism.systemUser) }

    /// Skips the test unless root runs it: then each plugin has a user of its own, whose processes the kernel limits.
    static var needsUsersOfPlugins: Self { needs(getuid() == 0 ? nil : "only root gives plugins users of their own") }

    /// Skips the test unless a runner may have more descriptors than a plugin keeps in flight.
    static var needsManyDescriptors: Self {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return needs(limit.rlim_max >= 8_192 ? nil : "the hard limit of descriptors is \(limit.rlim_max), below 8192")
    }

    private static func needs(_ missing: String?) -> Self { .enabled(if: missing == nil, "\(missing ?? "")") }
}
