// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The claim of a request, in bodies of the control API.
package struct ClaimBody: Codable, Hashable, Sendable {
    package let item: Int64
    package let fence: Int64
    package let bound: Bool

    package init(_ claim: Claim) { (item, fence, bound) = (claim.item, claim.fence, claim.isBound) }

    package var claim: Claim { Claim(item: item, fence: fence, isBound: bound) }
}
