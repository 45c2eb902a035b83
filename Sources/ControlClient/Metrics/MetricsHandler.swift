// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import NIOCore
import NIOHTTP1

/// Answers the requests of one connection to a `MetricsListener`.
final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let places: MetricsPlaces
    /// Whether the field `Host` has to name the loopback interface: a page of another site that has its name resolved
    /// to 127.0.0.1 is refused.
    private let requiresLocalHost: Bool
    private let metrics: @Sendable (MetricsFormat) async -> MetricsListener.Answer
    /// The head of the request that is being received.
    private var head: HTTPRequestHead?

    init(
        places: MetricsPlaces,
        requiresLocalHost: Bool,
        metrics: @escaping @Sendable (MetricsFormat) async -> MetricsListener.Answer
    ) {
        self.places = places
        self.requiresLocalHost = requiresLocalHost
        self.metrics = metrics
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        if let refusal = refusal(of: head) { return write(refusal.0, refusal.1, to: head, context) }
        guard places.take() else {
            return write(.serviceUnavailable, "too many requests in progress; wait\n", to: head, context)
        }
        let format = MetricsFormat(accepting: head.headers["accept"].joined(separator: ","))
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let (eventLoop, metrics, places) = (context.eventLoop, metrics, places)
        Task {
            let answer = await metrics(format)
            places.release()
            eventLoop.execute {
                let (handler, context) = bound.value
                switch answer {
                case .metrics(let text): handler.write(.ok, text, format.contentType, to: head, context)
                case .unavailable(let message): handler.write(.serviceUnavailable, message + "\n", to: head, context)
                }
            }
        }
    }

    /// The status and message of a request that is no request for metrics; nil otherwise.
    private func refusal(of head: HTTPRequestHead) -> (HTTPResponseStatus, String)? {
        if requiresLocalHost, !Self.isLocal(head.headers.first(name: "host")) {
            return (.misdirectedRequest, "only its own machine may use this address: 127.0.0.1, [::1], localhost\n")
        }
        guard head.uri.prefix(while: { $0 != "?" }) == "/metrics" else {
            return (.notFound, "only /metrics exists here\n")
        }
        return [.GET, .HEAD].contains(head.method) ? nil : (.methodNotAllowed, "use GET\n")
    }

    private static func isLocal(_ host: String?) -> Bool {
        guard let host else { return false }
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        return ["127.0.0.1", "localhost", "[::1]"].contains(name.lowercased())
    }

    private func write(
        _ status: HTTPResponseStatus,
        _ text: String,
        _ type: String = "text/plain; charset=utf-8",
        to head: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        var headers: HTTPHeaders = ["content-type": type, "content-length": "\(text.utf8.count)"]
        if status == .methodNotAllowed { headers.add(name: "allow", value: "GET, HEAD") }
        if !head.isKeepAlive { headers.add(name: "connection", value: "close") }
        let response = HTTPResponseHead(version: head.version, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        if head.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        }
        let done = context.eventLoop.makePromise(of: Void.self)
        if !head.isKeepAlive {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            done.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: done)
    }
}
