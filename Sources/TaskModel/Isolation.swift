// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The operator's choice whether plugins run in a sandbox.
package enum Isolation: String, Hashable, Sendable, CaseIterable {
    /// A launch runs in a sandbox of all mechanisms that the kernel offers. A missing mechanism is left out.
    case bestEffort = "best-effort"
    /// The host refuses to start when it cannot enforce a guarantee of the sandbox, except the limits of memory and
    /// processes. It refuses each grant that it could only open wider than the manifest requests.
    case required
    /// Launches run without a sandbox: plugins have the authority of the host's user.
    case off
}
