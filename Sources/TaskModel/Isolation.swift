// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The operator's choice whether plugins run in a sandbox.
package enum Isolation: String, Hashable, Sendable, CaseIterable {
    /// A launch gets every mechanism that the kernel offers.
    case bestEffort = "best-effort"
    /// The host refuses to start when a mechanism is missing.
    case required
    /// Plugins have the authority of the host's user.
    case off
}
