// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The operator's policy for signatures and pins of manifests.
package struct ProvenanceInForce: Codable, Hashable, Sendable {
    /// The treatment of manifests without an accepted signature: `allow`, `warn` or `refuse`.
    package let unsigned: String
    /// The treatment of manifests that do not pin their library: `allow`, `warn` or `refuse`.
    package let unpinned: String
    /// The treatment of manifests of packages: `trust` (they need neither signature nor pins) or `refuse`.
    package let packages: String
    /// Path of the signers file; nil for none.
    package let signers: String?
    /// Path of the list of revoked keys; nil for none.
    package let revoked: String?

    package init(unsigned: String, unpinned: String, packages: String, signers: String?, revoked: String?) {
        self.unsigned = unsigned
        self.unpinned = unpinned
        self.packages = packages
        self.signers = signers
        self.revoked = revoked
    }
}
