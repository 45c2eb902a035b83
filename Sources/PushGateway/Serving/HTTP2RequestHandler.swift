// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import NIOHPACK
import NIOHTTP2

/// One stream of an HTTP/2 connection: one request and its answer.
///
/// It works on frames and not on HTTP/1 messages, because clients of Apple's service depend on their form: a request may
/// lack `:authority`, a success ends with its header fields, and the body of an error is exactly one frame.
final class HTTP2RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let answerer: RequestAnswerer
    private let connection: SenderConnection
    private var head: HPACKHeaders?
    private var body = BodyBuffer()
    private var timeout: Scheduled<Void>?

    init(answerer: RequestAnswerer, connection: SenderConnection) {
        self.answerer = answerer
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timeout = context.eventLoop.scheduleTask(in: GatewayLimits.requestTimeout) { bound.value.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timeout?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            // Header fields after the body are trailers, which have no meaning here.
            if head == nil { head = frame.headers }
            if frame.endStream { answer(context) }
        case .data(let frame):
            if case .byteBuffer(let part) = frame.data { body.append(part) }
            if body.isExcessive { return context.close(promise: nil) }
            if frame.endStream { answer(context) }
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ context: ChannelHandlerContext) {
        guard let head else { return context.close(promise: nil) }
        self.head = nil
        let request = GatewayRequest(
            method: head.first(name: ":method") ?? "",
            path: head.first(name: ":path") ?? "",
            fields: head.filter { !$0.name.hasPrefix(":") }.map { .init($0.name, $0.value) },
            body: body.bytes,
            isTooLarge: body.isTooLarge
        )
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        answerer.answer(request, on: connection, eventLoop: context.eventLoop) { answer in
            let (handler, context) = bound.value
            handler.write(answer, context)
            handler.endExhaustedConnection(context)
        }
    }

    /// Ends a connection that refuses all further tokens: its client can use valid ones on a new connection.
    private func endExhaustedConnection(_ context: ChannelHandlerContext) {
        guard connection.isExhausted else { return }
        context.channel.parent?.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    private func write(_ answer: GatewayAnswer, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        var headers = HPACKHeaders([(":status", "\(answer.status)")])
        for field in answer.fields { headers.add(name: field.name, value: field.value) }
        let end = HTTP2Frame.FramePayload.Headers(headers: headers, endStream: answer.body.isEmpty)
        if answer.body.isEmpty { return context.writeAndFlush(wrapOutboundOut(.headers(end)), promise: nil) }
        context.write(wrapOutboundOut(.headers(end)), promise: nil)
        let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(bytes: answer.body)), endStream: true)
        context.writeAndFlush(wrapOutboundOut(.data(data)), promise: nil)
    }
}
