// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import NIOHPACK
import NIOHTTP2

/// One stream of an HTTP/2 connection: one request and its answer.
///
/// It works on frames and not on HTTP/1 messages, because clients of Apple's service depend on their form: a request
/// may lack `:authority`, a success ends with its header fields, and the body of an error is exactly one frame. Each
/// request is answered, also one that is refused before its end: some clients wait without a limit for the answer on a
/// stream that was reset.
final class HTTP2RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let answerer: RequestAnswerer
    private let connection: SenderConnection
    private var head: RequestHead?
    private var body = BodyBuffer()
    private var timeout: Scheduled<Void>?
    private var isComplete = false
    private var isAnswered = false
    private var hasPlace = false

    init(answerer: RequestAnswerer, connection: SenderConnection) {
        self.answerer = answerer
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        hasPlace = answerer.streams.take()
        startTimeout(answerer.limits.requestTimeout, context)
    }

    private func startTimeout(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        timeout?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timeout = context.eventLoop.scheduleTask(in: time) {
            let (handler, context) = bound.value
            // A client that does not read has an answer that cannot be sent.
            if handler.isAnswered { context.close(promise: nil) } else { handler.refuse(context) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timeout?.cancel()
        if hasPlace { answerer.streams.release() }
        hasPlace = false
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isComplete || isAnswered { return }
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            // Header fields after the body are trailers, which have no meaning here.
            if head == nil { head = RequestHead(frame.headers) }
            if !hasPlace { return refuse(context) }
            if frame.endStream { answer(context) }
        case .data(let frame):
            if case .byteBuffer(let part) = frame.data { body.append(part) }
            if frame.endStream || body.isExcessive { answer(context) }
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Answers a request that is complete, or whose remaining body is not worth reading.
    private func answer(_ context: ChannelHandlerContext) {
        guard let request else { return context.close(promise: nil) }
        isComplete = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let isExcessive = body.isExcessive
        body = BodyBuffer()
        answerer.answer(request, on: connection, eventLoop: context.eventLoop) { answer in
            let (handler, context) = bound.value
            handler.write(answer, context, isLast: isExcessive)
            handler.noteAnswer(context)
        }
    }

    /// Answers that the request may be repeated, and ends the stream.
    private func refuse(_ context: ChannelHandlerContext) {
        guard let request else { return context.close(promise: nil) }
        startTimeout(answerer.limits.errorTimeout, context)
        write(answerer.unavailableAnswer(to: request), context, isLast: true)
    }

    private var request: GatewayRequest? {
        head.map { GatewayRequest(head: $0, body: body.bytes, isTooLarge: body.isTooLarge) }
    }

    /// Extends the time of the connection, or ends it when it refuses all further tokens: its client can use valid ones
    /// on a new connection.
    private func noteAnswer(_ context: ChannelHandlerContext) {
        let pipeline = context.channel.parent?.pipeline
        pipeline?.fireUserInboundEventTriggered(RequestAnswered())
        if connection.isExhausted { pipeline?.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    /// - Parameter isLast: whether the stream is reset after the answer, because the request may have no end.
    private func write(_ answer: GatewayAnswer, _ context: ChannelHandlerContext, isLast: Bool) {
        guard context.channel.isActive, !isAnswered else { return }
        isAnswered = true
        var headers = HPACKHeaders([(":status", "\(answer.status)")])
        for field in answer.fields { headers.add(name: field.name, value: field.value) }
        let end = HTTP2Frame.FramePayload.Headers(headers: headers, endStream: answer.body.isEmpty)
        let done = context.eventLoop.makePromise(of: Void.self)
        if isLast {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            done.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        }
        if answer.body.isEmpty { return context.writeAndFlush(wrapOutboundOut(.headers(end)), promise: done) }
        context.write(wrapOutboundOut(.headers(end)), promise: nil)
        let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(bytes: answer.body)), endStream: true)
        context.writeAndFlush(wrapOutboundOut(.data(data)), promise: done)
    }
}

extension RequestHead {
    fileprivate init(_ headers: HPACKHeaders) {
        self.init(
            method: headers.first(name: ":method") ?? "",
            path: headers.first(name: ":path") ?? "",
            fields: headers.lazy.map { ($0.name, $0.value) }
        )
    }
}
