// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation

/// Mechanisms that this machine lacks, as reasons to skip tests; nil where the machine has the mechanism. They are
/// determined without a host: if the machine has a mechanism and the host does not use it, the test runs and fails.
package enum MissingMechanism {
    /// The reason why a host from `HostSetup()` cannot enforce its whole sandbox: a mechanism that the machine lacks;
    /// nil when it has all.
    package static let sandbox: String? = geteuid() == 0 ? ofFiles : sandboxOfOneUser

    /// The mechanism that a sandbox lacks whose plugins have the user of the host; nil when it lacks none.
    package static let sandboxOfOneUser: String? = ofFiles ?? ofSignals

    /// The reason why control groups cannot limit the memory of launches; nil when they can.
    package static let memoryLimit: String? = {
        guard HostFixture.canMakeControlGroups, let group = HostFixture.ownControlGroup else {
            return "the tests can create no control groups of cgroup v2"
        }
        // The kernel enables no controller in a group with processes, such as the test's own, unless it is the root.
        let isRoot = access("\(group)/cgroup.type", F_OK) != 0
        let file = "\(group)/cgroup.\(isRoot ? "controllers" : "subtree_control")"
        let hasController = KernelFile.text(file).split { $0 == " " || $0 == "\n" }.contains("memory")
        return hasController ? nil : "the control group of the tests lacks the controller memory of cgroup v2"
    }()

    /// The reason why a host cannot be started as another user with the capabilities of the unit; nil when it can.
    package static let systemUser: String? = {
        if geteuid() != 0 { return "only root starts a host as the user of the unit" }
        let command = HostSetup().ofSystemUser().userChange + ["true"]
        return (try? ProgramRun.requireSuccess(of: command)) == nil
            ? "setpriv of util-linux cannot start a program with the capabilities of the unit" : nil
    }()

    private static let ofFiles: String? =
        if bgl_filters_system_calls() == 0 {
            "the kernel lacks seccomp filters"
        } else if bgl_landlock_version() < 1 {
            "the kernel lacks Landlock"
        } else if !landlockHandles(files: 1 << 14) {
            "Landlock of this kernel does not confine truncation (Linux 6.2)"
        } else {
            nil
        }

    private static let ofSignals: String? =
        landlockHandles(scopes: 0b11) ? nil : "Landlock of this kernel does not confine signals (Linux 6.12)"

    /// Whether the kernel creates a ruleset with these rights, by the bit numbers of its interface.
    private static func landlockHandles(files: UInt64 = 1, scopes: UInt64 = 0) -> Bool {
        let ruleset = bgl_landlock_create(files, 0, scopes)
        if ruleset >= 0 { close(ruleset) }
        return ruleset >= 0
    }
}
