// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The operator's choice whether plugins run in a sandbox.
package enum Isolation: String, Hashable, Sendable, CaseIterable {
    /// A launch runs in a sandbox of all mechanisms that the kernel offers. A missing mechanism is left out.
    case bestEffort = "best-effort"
    /// The host refuses to start when it cannot enforce a required guarantee: one that the operator lists or, without a
    /// list, one of the sandbox. It leaves out each grant that would open more than requested and thereby break such a
    /// guarantee.
    case required
    /// Launches run without a sandbox: plugins have the authority of the host's user.
    case off
}
