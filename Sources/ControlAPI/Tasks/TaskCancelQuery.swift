// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The query of `DELETE /v1/tasks/{identifier}`.
package struct TaskCancelQuery: Hashable, Sendable {
    static let names = ["claim_item", "claim_fence"]

    /// The claim whose request or running task alone is cancelled; nil for any.
    package let claim: Claim.Key?

    package init(claim: Claim.Key? = nil) { self.claim = claim }

    package init(reading value: (String) -> String?) throws(RouteError) {
        let item: Int64? = try QueryValue.whole(value("claim_item"), named: "claim_item", in: 1...(.max))
        let fence: Int64? = try QueryValue.whole(value("claim_fence"), named: "claim_fence", in: 1...(.max))
        switch (item, fence) {
        case (nil, nil): claim = nil
        case (let item?, let fence?): claim = Claim.Key(item: item, fence: fence)
        case (nil, _?): throw Self.missing("claim_item", beside: "claim_fence")
        case (_?, nil): throw Self.missing("claim_fence", beside: "claim_item")
        }
    }

    package var items: [(name: String, value: String)] {
        claim.map { [("claim_item", "\($0.item)"), ("claim_fence", "\($0.fence)")] } ?? []
    }

    private static func missing(_ name: String, beside other: String) -> RouteError {
        RouteError(
            .queryInvalid,
            field: name,
            "query \(other) is given without \(name)",
            remedy: "give both, or leave both out to cancel any request of the identifier"
        )
    }
}
