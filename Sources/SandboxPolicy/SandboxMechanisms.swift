// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
package import RunnerWire
import Sandbox

/// The mechanisms of this kernel that a sandbox uses.
package struct SandboxMechanisms: Hashable, Sendable {
    /// The rights that Landlock can refuse; nil when the kernel has no Landlock.
    package let landlock: LandlockRights?
    package let landlockVersion: Int
    package let filtersSystemCalls: Bool

    package init(landlock: LandlockRights?, landlockVersion: Int, filtersSystemCalls: Bool) {
        self.landlock = landlock
        self.landlockVersion = landlockVersion
        self.filtersSystemCalls = filtersSystemCalls
    }

    /// Whether Landlock confines the truncation of files. Otherwise the filter of system calls confines it.
    package var confinesTruncation: Bool { landlock.map { $0.files & Landlock.truncate != 0 } ?? false }

    /// The mechanisms of this kernel, found by trying them. Changes nothing in this process.
    package static func probed() -> SandboxMechanisms {
        SandboxMechanisms(
            landlock: Landlock.offered(),
            landlockVersion: Landlock.version,
            filtersSystemCalls: bgl_filters_system_calls() != 0
        )
    }
}
