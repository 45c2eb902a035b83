// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The operator's policy for manifests without an accepted signature or without pins.
package struct ProvenancePolicy: Hashable, Sendable {
    /// The treatment of a manifest that lacks an accepted signature, or pins.
    package enum Choice: String, Hashable, Sendable, CaseIterable {
        case allow
        /// The plugin runs, with a note in the log, in `plugin list` and in `plugin show`.
        case warn
        case refuse
    }

    /// The treatment of manifests that packages of the distribution installed.
    package enum Packages: String, Hashable, Sendable, CaseIterable {
        /// Manifests of packages need neither a signature nor pins.
        case trust
        /// Manifests of packages are judged like the operator's manifests.
        case refuse
    }

    package var unsigned = Choice.allow
    package var unpinned = Choice.allow
    package var packages = Packages.trust
    /// Path of the signers file; nil for none. A missing file has no entries.
    package var signers: String?
    /// Path of the list of revoked keys; nil for none. A missing file has no entries.
    package var revoked: String?

    package init() {}
}
