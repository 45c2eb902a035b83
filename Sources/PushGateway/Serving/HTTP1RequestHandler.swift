// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import NIOHTTP1

/// The requests of one HTTP/1 connection, which may use webhooks only.
final class HTTP1RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let answerer: RequestAnswerer
    private let connection: SenderConnection
    private var head: HTTPRequestHead?
    private var kept: RequestHead?
    private var body = BodyBuffer()
    private var timeout: Scheduled<Void>?
    private var isStopping = false
    /// Whether the connection closes after the present answer, because the request is not read to its end.
    private var isClosing = false

    init(answerer: RequestAnswerer, connection: SenderConnection) {
        self.answerer = answerer
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) { startTimeout(context) }

    /// Limits the time to the next request, or to the answer of the request that has begun. The time begins anew at
    /// both, so that it ends no request early.
    private func startTimeout(_ context: ChannelHandlerContext) {
        timeout?.cancel()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timeout = context.eventLoop.scheduleTask(in: answerer.limits.requestTimeout) { bound.value.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isClosing { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            kept = RequestHead(
                method: head.method.rawValue,
                path: head.uri,
                fields: head.headers.lazy.map { ($0.name, $0.value) }
            )
            body = BodyBuffer()
            startTimeout(context)
        case .body(let part):
            body.append(part)
            if body.isExcessive {
                isClosing = true
                answer(context)
            }
        case .end: answer(context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        timeout?.cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            isStopping = true
            if head == nil { context.close(promise: nil) }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ context: ChannelHandlerContext) {
        guard let head, let kept else { return }
        let request = GatewayRequest(head: kept, body: body.bytes, isTooLarge: body.isTooLarge)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        answerer.answer(request, on: connection, eventLoop: context.eventLoop) { answer in
            let (handler, context) = bound.value
            handler.write(answer, to: head, context)
        }
    }

    private func write(_ answer: GatewayAnswer, to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        startTimeout(context)
        self.head = nil
        // A client without a valid path keeps no connection.
        let closes = isStopping || isClosing || !head.isKeepAlive || answer.status == 404
        var headers: HTTPHeaders = ["content-length": "\(answer.body.count)"]
        for field in answer.fields { headers.add(name: field.name, value: field.value) }
        if closes { headers.add(name: "connection", value: "close") }
        let response = HTTPResponseHead(
            version: head.version,
            status: .init(statusCode: answer.status),
            headers: headers
        )
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        if head.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
        }
        let done = context.eventLoop.makePromise(of: Void.self)
        if closes {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            done.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: done)
    }
}
