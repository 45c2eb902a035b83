// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore

/// The body of a request while it arrives. It keeps at most the permitted bytes and counts the others.
struct BodyBuffer {
    private(set) var bytes: [UInt8] = []
    private var size = 0

    var isTooLarge: Bool { size > GatewayRequest.maximumBody }
    /// Whether the rest of the body is not worth reading.
    var isExcessive: Bool { size > GatewayLimits.discardedBytes }

    mutating func append(_ part: ByteBuffer) {
        let kept = GatewayRequest.maximumBody - bytes.count
        bytes.append(contentsOf: part.readableBytesView.prefix(max(0, kept)))
        size += part.readableBytes
    }
}
