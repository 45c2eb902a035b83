// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The claim of a request, with the lease under which a feeder submitted the request.
package struct LeasedClaim: Hashable, Sendable {
    package let claim: Claim
    /// The name of the lease.
    package let lease: String

    package init(_ claim: Claim, under lease: String) { (self.claim, self.lease) = (claim, lease) }
}
