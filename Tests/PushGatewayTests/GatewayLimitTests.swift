// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Crypto
import NIOCore
import NIOPosix
import StatementTraits
import TaskModel
import Testing

@testable import PushGateway

@Suite("A client without a valid key holds no connection and no memory of the gateway for long", .proves("C22"))
struct GatewayLimitTests {
    /// Collects the bytes of a connection until it closes.
    private final class Bytes: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let result: EventLoopPromise<String>
        private var received = ByteBuffer()

        init(_ result: EventLoopPromise<String>) { self.result = result }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var part = unwrapInboundIn(data)
            received.writeBuffer(&part)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
        func channelInactive(context: ChannelHandlerContext) { result.succeed(String(buffer: received)) }
    }

    /// Sends bytes; returns all bytes that the gateway sends before it closes the connection.
    private static func answer(to bytes: [UInt8], port: Int) async throws -> String {
        let (channel, answer) = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let result = channel.eventLoop.makePromise(of: String.self)
                    try channel.pipeline.syncOperations.addHandler(Bytes(result))
                    return (channel, result.futureResult)
                }
            }
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        return try await answer.get()
    }

    /// The preface of HTTP/2 and an empty SETTINGS frame.
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]

    @Test func `a connection without an authenticated request is closed, also when its client answers no PING`()
        async throws
    {
        var limits = GatewayLimits()
        limits.authenticationTimeout = .milliseconds(20)
        try await ServedGateway.with(limits: limits) { port, _ in
            let frames = try await Self.answer(to: Self.preface, port: port)
            #expect(!frames.isEmpty)
        }
    }

    @Test func `a connection with refused requests alone is closed`() async throws {
        var limits = GatewayLimits()
        limits.authenticationTimeout = .milliseconds(200)
        try await ServedGateway.with(limits: limits) { port, _ in
            let client = try await GatewayClient(port: port)
            let wrong = try GatewayClient.push(GatewayClient.id, ["authorization": "bearer x"])
            // On a busy machine, the connection can be closed before the answer.
            let status = try? await client.send(wrong).get().status
            #expect(status == "403" || status == nil)
            try await client.channel.closeFuture.get()
        }
    }

    @Test func `a connection without a request gets its GOAWAY after the idle time`() async throws {
        var limits = GatewayLimits()
        limits.idleTimeout = .milliseconds(20)
        try await ServedGateway.with(limits: limits) { port, _ in
            try await GatewayClient(port: port).channel.closeFuture.get()
        }
    }

    @Test func `a connection of a sender is closed after its idle time`() async throws {
        var limits = GatewayLimits()
        (limits.idleTimeout, limits.closeTimeout) = (.milliseconds(20), .milliseconds(20))
        try await ServedGateway.with(limits: limits) { port, _ in
            let client = try await GatewayClient(port: port)
            let push = try GatewayClient.push()
            // On a busy machine, the connection can be closed before the answer.
            let status = try? await client.send(push).get().status
            #expect(status == "200" || status == nil)
            try await client.channel.closeFuture.get()
        }
    }

    @Test func `a request beyond the limit of all connections is answered at its header fields`() async throws {
        var limits = GatewayLimits()
        limits.openStreams = 0
        let host = RecordingHost()
        try await ServedGateway.with(host, limits: limits) { port, _ in
            let answers = try await GatewayClient.send([try GatewayClient.push()], body: "{}", to: port)
            #expect(answers.map(\.body) == [#"{"reason":"ServiceUnavailable"}"#])
        }
        #expect(host.pushes.isEmpty)
    }

    @Test func `a request without an answer of the host is answered after the request's time`() async throws {
        var limits = GatewayLimits()
        limits.requestTimeout = .milliseconds(20)
        let host = HeldHost()
        try await ServedGateway.with(host, limits: limits) { port, _ in
            let answers = try await GatewayClient.send([try GatewayClient.push()], body: "{}", to: port)
            #expect(answers.map(\.body) == [#"{"reason":"ServiceUnavailable"}"#])
            host.release()
        }
    }

    @Test func `a connection with many wrong signatures ends, and a new one takes the valid token`() async throws {
        let wrong = try Samples.authorization(signer: P256.Signing.PrivateKey())
        var limits = GatewayLimits()
        // A slow machine must not end the connection before.
        limits.authenticationTimeout = .hours(1)
        limits.requestTimeout = .hours(1)
        limits.handshakeTimeout = .hours(1)
        try await ServedGateway.with(limits: limits) { port, _ in
            let client = try await GatewayClient(port: port)
            for _ in 1...32 {
                let push = try GatewayClient.push(GatewayClient.id, ["authorization": wrong])
                #expect(try await client.send(push).get().status == "403")
            }
            try await client.channel.closeFuture.get()
            let answers = try await GatewayClient.send([try GatewayClient.push()], body: "{}", to: port)
            #expect(answers.map(\.status) == ["200"])
        }
    }

    @Test func `a large body over HTTP 1 is answered before the connection closes`() async throws {
        let (webhook, secret) = PushWebhook.new(for: try Samples.plugin())
        try await ServedGateway.with(webhook: webhook) { port, _ in
            let head = "POST /push/\(secret) HTTP/1.1\r\nhost: a\r\ncontent-length: 1048578\r\n\r\n"
            let body = [UInt8](repeating: 1, count: 1_048_577)
            let answer = try await Self.answer(to: Array(head.utf8) + body, port: port)
            #expect(answer.hasPrefix("HTTP/1.1 413"))
        }
    }

    @Test func `an unknown path over HTTP 1 ends the connection`() async throws {
        try await ServedGateway.with { port, _ in
            let answer = try await Self.answer(to: Array("GET / HTTP/1.1\r\nhost: a\r\n\r\n".utf8), port: port)
            #expect(answer.hasPrefix("HTTP/1.1 404") && answer.contains("connection: close"))
        }
    }
}
