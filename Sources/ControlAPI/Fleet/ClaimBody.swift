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

extension ClaimBody {
    static let fields: [BodyField] = [
        .required("item", .whole), .required("fence", .whole), .required("bound", .boolean),
    ]

    /// The checked claim. Throws a refusal for a claim without a lease, and for an item or a fence below 1.
    func validated(under lease: String?) throws(RouteError) -> LeasedClaim {
        guard let lease else {
            throw RouteError(
                .fieldMissing,
                field: "claim",
                "field \"claim\" needs a lease, which only a batch names",
                remedy: "submit the request with POST /v1/tasks/batch and its field \"lease\", or leave the claim out"
            )
        }
        for (field, number) in [("item", item), ("fence", fence)] where number < 1 {
            throw RouteError(
                .numberInvalid,
                field: "claim.\(field)",
                "field \"claim.\(field)\" is \(number), which is not above 0",
                remedy: "write the number that the queue gave with the item"
            )
        }
        return LeasedClaim(claim, under: lease)
    }
}
