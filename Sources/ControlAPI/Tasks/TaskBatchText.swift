// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials

/// The body of a batch as a client builds it: requests as JSON text, within the limits of the host. The host checks the
/// requests.
package struct TaskBatchText: Sendable {
    private static let opening = #"{"requests":["#
    private static let closing = "]}"

    /// Maximum size in bytes of a request that fits in a batch.
    package static let largestRequest = Route.taskSubmitBatch.maximumBody - opening.utf8.count - closing.utf8.count

    package private(set) var count = 0
    private var requests = Data()
    private let opening: Data

    package init() { opening = Data(Self.opening.utf8) }

    /// A batch of requests with claims.
    ///
    /// - Parameter lease: a valid name, which contains no character that JSON escapes.
    package init(lease: String) { opening = Data(#"{"lease":"\#(lease)","requests":["#.utf8) }

    /// The body of the call.
    package var body: Data { opening + requests + Data(Self.closing.utf8) }

    /// Adds a request, which is one JSON value. Returns false and adds nothing when the batch has no capacity for it.
    package mutating func add(_ request: Data) -> Bool {
        let size = requests.count + request.count + (count == 0 ? 0 : 1)
        let largest = Route.taskSubmitBatch.maximumBody - opening.count - Self.closing.utf8.count
        guard count < TaskBatch.sizes.upperBound, size <= largest else { return false }
        if count > 0 { requests.append(UInt8(ascii: ",")) }
        requests.append(request)
        count += 1
        return true
    }
}
