// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import NIOHTTP1
import NIOHTTP2

/// The first handler of a connection behind TLS: adds the handlers of HTTP/2 or HTTP/1 after the first bytes.
///
/// The preface of HTTP/2 decides and not ALPN, because some clients of Apple's service negotiate no protocol.
final class ProtocolDetector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// The first bytes of HTTP/2; no request of HTTP/1 begins with them.
    private static let preface = Array("PRI * HTTP/2.0".utf8)

    private let answerer: RequestAnswerer
    private let onAuthentication: @Sendable (String) -> Void
    private var received = ByteBuffer()
    private var timeout: Scheduled<Void>?

    /// - Parameter onAuthentication: called with the sender after the first authenticated request of the connection.
    init(answerer: RequestAnswerer, onAuthentication: @escaping @Sendable (String) -> Void) {
        self.answerer = answerer
        self.onAuthentication = onAuthentication
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timeout = context.eventLoop.scheduleTask(in: answerer.limits.handshakeTimeout) {
            bound.value.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        timeout?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        received.writeBuffer(&part)
        let start = received.readableBytesView.prefix(Self.preface.count)
        if start.count < Self.preface.count, Self.preface.starts(with: start) { return }
        timeout?.cancel()
        do {
            try addHandlers(isHTTP2: start.elementsEqual(Self.preface), to: context)
        } catch {
            return context.close(promise: nil)
        }
        context.fireChannelRead(NIOAny(received))
        context.fireChannelReadComplete()
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func addHandlers(isHTTP2: Bool, to context: ChannelHandlerContext) throws {
        let handlers = context.pipeline.syncOperations
        guard isHTTP2 else {
            try handlers.configureHTTPServerPipeline(withErrorHandling: true)
            let connection = SenderConnection(isHTTP2: false, onAuthentication: onAuthentication)
            return try handlers.addHandler(HTTP1RequestHandler(answerer: answerer, connection: connection))
        }
        let (answerer, limits) = (answerer, answerer.limits)
        let connection = SenderConnection(onAuthentication: onAuthentication)
        let manager = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: context.eventLoop,
            configuration: .init(
                maxIdleTime: limits.idleTimeout,
                maxAge: nil,
                maxGraceTime: limits.requestTimeout,
                keepalive: .init(pingInterval: .seconds(60), ackTimeout: limits.closeTimeout)
            )
        )
        _ = try handlers.configureHTTP2Pipeline(
            mode: .server,
            connectionConfiguration: Self.configuration(limits),
            streamConfiguration: .init(),
            streamDelegate: manager.http2StreamDelegate
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                let handler = HTTP2RequestHandler(answerer: answerer, connection: connection)
                try stream.pipeline.syncOperations.addHandler(handler)
            }
        }
        let deadline = ConnectionDeadline(limits: limits, connection: connection)
        try handlers.addHandlers(manager, deadline, ConnectionErrorHandler(timeout: limits.errorTimeout))
        // The connection is active already: without this call, its idle time begins only after the first request.
        manager.channelActive(context: try handlers.context(handler: manager))
    }

    private static func configuration(_ limits: GatewayLimits) -> NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: GatewayLimits.headerBytes),
        ]
        return configuration
    }
}
