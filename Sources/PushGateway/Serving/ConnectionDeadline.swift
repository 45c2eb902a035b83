// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import NIOHTTP2

/// Closes an HTTP/2 connection that sends no authenticated requests, whatever its client does. The handler of NIOHTTP2
/// for idle connections waits for the client's answer to a PING.
final class ConnectionDeadline: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let limits: GatewayLimits
    private let connection: SenderConnection
    private var timeout: Scheduled<Void>?

    init(limits: GatewayLimits, connection: SenderConnection) {
        self.limits = limits
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) { start(limits.authenticationTimeout, context) }

    func channelInactive(context: ChannelHandlerContext) {
        timeout?.cancel()
        context.fireChannelInactive()
    }

    /// Starts the time anew if a request was authenticated since the last call.
    private func extend(_ context: ChannelHandlerContext) -> Bool {
        guard connection.takeAuthentication() else { return false }
        start(limits.idleTimeout + limits.closeTimeout, context)
        return true
    }

    private func start(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        timeout?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timeout = context.eventLoop.scheduleTask(in: time) {
            let (handler, context) = bound.value
            if !handler.extend(context) { context.close(promise: nil) }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is RequestAnswered { _ = extend(context) }
        context.fireUserInboundEventTriggered(event)
    }
}

/// The event of a connection that a request on it was answered.
struct RequestAnswered {}
