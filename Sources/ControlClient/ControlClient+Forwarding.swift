// Part of bgtask, under the Apache License 2.0; see LICENSE.

import AsyncHTTPClient
package import NIOCore

/// The answer of the host to a forwarded call, of any status. Its body arrives part by part.
package struct ForwardedAnswer: Sendable {
    package let status: Int
    package let contentType: String?
    let body: HTTPClientResponse.Body

    /// Calls `pass` with each part of the body. Throws when the connection is lost, and when the task is cancelled.
    package func forEachPart(_ pass: (ByteBuffer) async throws -> Void) async throws {
        for try await part in body { try await pass(part) }
    }
}
