// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import Testing

@testable import ControlClient
@testable import PushGateway

/// An answer of the gateway as its frames arrived.
struct ReceivedAnswer: Hashable, Sendable {
    var status = ""
    var id = ""
    var frames = 0
    var body = ""
    var endedWithFields = false
}

/// A connection of a sender, over HTTP/2 without TLS.
struct GatewayClient: Sendable {
    /// Collects the frames of one stream.
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias OutboundOut = HTTP2Frame.FramePayload

        private let result: EventLoopPromise<ReceivedAnswer>
        private var received = ReceivedAnswer()

        init(_ result: EventLoopPromise<ReceivedAnswer>) { self.result = result }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received.frames += 1
            switch unwrapInboundIn(data) {
            case .headers(let frame):
                received.status = frame.headers.first(name: ":status") ?? ""
                received.id = frame.headers.first(name: "apns-id") ?? ""
                received.endedWithFields = frame.endStream
                if frame.endStream { result.succeed(received) }
            case .data(let frame):
                if case .byteBuffer(let part) = frame.data { received.body += String(buffer: part) }
                if frame.endStream { result.succeed(received) }
            default: break
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { result.fail(error) }
        func channelInactive(context: ChannelHandlerContext) { result.fail(ChannelError.eof) }
    }

    let channel: any Channel
    private let multiplexer: NIOHTTP2Handler.StreamMultiplexer

    init(port: Int) async throws {
        (channel, multiplexer) = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let multiplexer = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
                        mode: .client,
                        connectionConfiguration: .init(),
                        streamConfiguration: .init()
                    ) { $0.close() }
                    return (channel, multiplexer)
                }
            }
    }

    /// Sends a request on a new stream; returns its answer.
    func send(_ headers: HPACKHeaders, body: String = "{}") -> EventLoopFuture<ReceivedAnswer> {
        let result = channel.eventLoop.makePromise(of: ReceivedAnswer.self)
        let created = channel.eventLoop.makePromise(of: (any Channel).self)
        // After a GOAWAY, a connection has no new streams.
        created.futureResult.whenFailure { result.fail($0) }
        multiplexer.createStreamChannel(promise: created) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(Collector(result))
                let head = HTTP2Frame.FramePayload.Headers(headers: headers, endStream: body.isEmpty)
                stream.write(HTTP2Frame.FramePayload.headers(head), promise: nil)
                let bytes = IOData.byteBuffer(ByteBuffer(string: body))
                let data = HTTP2Frame.FramePayload.Data(data: bytes, endStream: true)
                if !body.isEmpty { stream.write(HTTP2Frame.FramePayload.data(data), promise: nil) }
                stream.flush()
            }
        }
        return result.futureResult
    }

    /// Sends requests on one connection, and returns the answers in the order of the requests.
    static func send(_ requests: [HPACKHeaders], body: String, to port: Int) async throws -> [ReceivedAnswer] {
        let client = try await GatewayClient(port: port)
        var received: [ReceivedAnswer] = []
        for result in requests.map({ client.send($0, body: body) }) { received.append(try await result.get()) }
        try await client.channel.close()
        return received
    }

    /// The fields of a push as the client aioapns sends them: with `host`, and without `:authority`.
    static func push(_ id: String = id, _ changes: [String: String] = [:]) throws -> HPACKHeaders {
        var headers = HPACKHeaders([
            (":method", "POST"), (":scheme", "https"), (":path", "/3/device/\(Samples.deviceToken)"),
            ("host", "api.push.apple.com"), ("apns-id", id), ("apns-topic", "com.example.feed"),
            ("apns-push-type", "background"), ("apns-priority", "5"), ("authorization", try Samples.authorized.get()),
        ])
        for (name, value) in changes { headers.replaceOrAdd(name: name, value: value) }
        return headers
    }

    static let id = "eabeae54-14a8-11e5-b60b-1697f925ec7b"
}

/// A running gateway of a test, without TLS.
enum ServedGateway {
    /// Runs `body` with the port of a gateway, and a closure that stops it.
    static func with<Result>(
        _ host: any PushHost = RecordingHost(),
        webhook: PushWebhook? = nil,
        limits: GatewayLimits = GatewayLimits(),
        _ body: (Int, @Sendable () -> Void) async throws -> Result
    ) async throws -> Result {
        var keys = KeySet()
        keys.add(try Samples.key())
        if let webhook { keys.add(webhook) }
        let set = keys
        let gateway = Gateway(
            keys: { _ in set },
            limits: FloodLimits(rate: 1000, burst: 1000),
            host: host,
            times: .init(monotonic: { Samples.start }, wall: { Samples.now })
        )
        let (bound, signal) = AsyncStream.makeStream(of: String.self)
        let server = Task {
            try await GatewayServer.serve(gateway, on: .loopback(port: 0), tls: nil, limits: limits) {
                signal.yield($0)
            }
        }
        var places = bound.makeAsyncIterator()
        let port = try #require(await places.next()?.split(separator: ":").last.flatMap { Int($0) })
        let result: Result
        do {
            result = try await body(port) { server.cancel() }
        } catch {
            server.cancel()
            throw error
        }
        server.cancel()
        try await server.value
        return result
    }
}
