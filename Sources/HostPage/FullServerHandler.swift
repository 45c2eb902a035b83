// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore

/// Answers a connection above the limit with status 503, and closes it. Nothing is read from it.
final class FullServerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        let answer = ByteBuffer(bytes: Self.answer)
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        context.close(promise: nil)
    }

    static var answer: [UInt8] {
        guard case .whole(_, let type, let bytes, _) = PageAnswer(.tooManyConnections) else { return [] }
        let head = [
            "HTTP/1.1 \(PageRefusal.tooManyConnections.status) Service Unavailable", "content-type: \(type)",
            "content-length: \(bytes.count)", "connection: close", "", "",
        ]
        return Array(head.joined(separator: "\r\n").utf8) + bytes
    }
}
