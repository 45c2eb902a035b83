// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import NIOHTTP2

/// The last handler of an HTTP/2 connection: after an error of the client, the connection ends its requests and closes.
final class ConnectionErrorHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let timeout: TimeAmount
    private var isEnding = false

    /// - Parameter timeout: maximum time from the error to the end of the connection.
    init(timeout: TimeAmount) { self.timeout = timeout }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isEnding { return }
        isEnding = true
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: timeout) { bound.value.close(promise: nil) }
        context.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
}
