// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials

/// The body of a batch as a client builds it: requests as JSON text, within the limits of the host. The host checks the
/// requests.
package struct TaskBatchText: Sendable {
    private static let opening = Data(#"{"requests":["#.utf8)
    private static let closing = Data("]}".utf8)

    /// Maximum size in bytes of a request that fits in a batch.
    package static let largestRequest = Route.taskSubmitBatch.maximumBody - opening.count - closing.count

    package private(set) var count = 0
    private var requests = Data()

    package init() {}

    /// The body of the call.
    package var body: Data { Self.opening + requests + Self.closing }

    /// Adds a request, which is one JSON value. Returns false and adds nothing when the batch has no capacity for it.
    package mutating func add(_ request: Data) -> Bool {
        let size = requests.count + request.count + (count == 0 ? 0 : 1)
        guard count < TaskBatch.sizes.upperBound, size <= Self.largestRequest else { return false }
        if count > 0 { requests.append(UInt8(ascii: ",")) }
        requests.append(request)
        count += 1
        return true
    }
}
