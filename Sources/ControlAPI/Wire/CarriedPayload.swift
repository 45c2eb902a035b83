// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials
import TaskModel

/// The payload of a request or an event, encoded in base 64. The host does not interpret it.
package enum CarriedPayload {
    /// The payload as data to encode; nil for an empty one.
    package static func data(_ bytes: [UInt8]) -> Data? { bytes.isEmpty ? nil : Data(bytes) }

    /// - Parameter limit: the maximum number of bytes.
    package static func bytes(
        _ data: Data?,
        limit: Int = TaskRequest.maximumPayload
    ) throws(RouteError) -> [UInt8] {
        let bytes = data.map { Array($0) } ?? []
        if bytes.count <= limit { return bytes }
        let problem = "field \"payload\" has \(bytes.count) bytes when decoded; at most \(limit) are allowed"
        throw RouteError(
            .payloadTooLarge,
            field: "payload",
            problem,
            remedy: "keep the data in a file that the plugin may read, and pass a payload that contains only the path"
                + " of that file"
        )
    }
}
