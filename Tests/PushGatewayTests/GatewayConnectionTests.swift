// Part of bgtask, under the Apache License 2.0; see LICENSE.

import NIOCore
import NIOPosix
import StatementTraits
import Testing

@testable import PushGateway

@Suite("The number of connections is bounded, and unauthenticated ones close for new ones", .proves("C22"))
struct GatewayConnectionTests {
    /// A TCP connection of a test.
    private struct Client {
        let channel: any Channel
        /// The first bytes that the gateway sends; fails when it closes the connection before.
        let answer: EventLoopFuture<String>

        /// Opens a connection and sends text.
        init(_ port: Int, sending text: String = "") async throws {
            (channel, answer) = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let first = channel.eventLoop.makePromise(of: String.self)
                        try channel.pipeline.syncOperations.addHandler(FirstBytes(first))
                        return (channel, first.futureResult)
                    }
                }
            if !text.isEmpty { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
        }
    }

    private final class FirstBytes: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let received: EventLoopPromise<String>

        init(_ received: EventLoopPromise<String>) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received.succeed(String(buffer: unwrapInboundIn(data)))
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
        func channelInactive(context: ChannelHandlerContext) { received.fail(ChannelError.eof) }
    }

    /// Opens a connection of HTTP/2 without a request. The gateway has added it when this returns.
    private static func unauthenticated(_ port: Int) async throws -> Client {
        let settings = String(decoding: [0, 0, 0, 4, 0, 0, 0, 0, 0] as [UInt8], as: UTF8.self)
        let client = try await Client(port, sending: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings)
        _ = try await client.answer.get()
        return client
    }

    private static func status(_ client: GatewayClient) async throws -> String {
        try await client.send(try GatewayClient.push()).get().status
    }

    @Test(arguments: ["", "PRI * HT"])
    func `a connection without the first bytes of a request closes after the time of a handshake`(sent: String)
        async throws
    {
        var limits = GatewayLimits()
        limits.handshakeTimeout = .milliseconds(20)
        try await ServedGateway.with(limits: limits) { port, _ in
            try await Client(port, sending: sent).channel.closeFuture.get()
        }
    }

    @Test func `a connection of HTTP 1 with a part of a request closes after the time of a request`() async throws {
        var limits = GatewayLimits()
        limits.requestTimeout = .milliseconds(20)
        try await ServedGateway.with(limits: limits) { port, _ in
            let client = try await Client(port, sending: "POST /push/0 HTTP/1.1\r\nhost: a\r\n")
            try await client.channel.closeFuture.get()
        }
    }

    @Test func `a new sender is served although all connections are unauthenticated`() async throws {
        var limits = GatewayLimits()
        limits.connections = 4
        // A slow machine must not end the unauthenticated connections before.
        limits.scarceTimeout = .hours(1)
        try await ServedGateway.with(limits: limits) { port, _ in
            var others: [any Channel] = []
            for _ in 0..<4 { others.append(try await Self.unauthenticated(port).channel) }
            let first = try await GatewayClient(port: port)
            #expect(try await Self.status(first) == "200")
            let second = try await GatewayClient(port: port)
            #expect(try await Self.status(second) == "200")
            for other in others.prefix(2) { try await other.closeFuture.get() }
            let areKept = others.suffix(2).allSatisfy { $0.isActive }
            #expect(areKept)
            #expect(try await Self.status(first) == "200")
            for channel in others.suffix(2) + [first.channel, second.channel] { try await channel.close() }
        }
    }

    @Test func `a key that holds all connections loses its older one to a new sender`() async throws {
        let (webhook, secret) = PushWebhook.new(for: try Samples.plugin())
        var limits = GatewayLimits()
        limits.connections = 2
        try await ServedGateway.with(webhook: webhook, limits: limits) { port, _ in
            let first = try await GatewayClient(port: port)
            #expect(try await Self.status(first) == "200")
            let second = try await GatewayClient(port: port)
            #expect(try await Self.status(second) == "200")
            let hook = try await Client(port, sending: "GET /push/\(secret) HTTP/1.1\r\nhost: a\r\n\r\n")
            #expect(try await hook.answer.get().hasPrefix("HTTP/1.1 200"))
            try await first.channel.closeFuture.get()
            #expect(try await Self.status(second) == "200")
            for channel in [second.channel, hook.channel] { try await channel.close() }
        }
    }

    @Test func `a connection beyond the limit closes while senders hold all others`() async throws {
        let (webhook, secret) = PushWebhook.new(for: try Samples.plugin())
        var limits = GatewayLimits()
        limits.connections = 2
        try await ServedGateway.with(webhook: webhook, limits: limits) { port, _ in
            let sender = try await GatewayClient(port: port)
            #expect(try await Self.status(sender) == "200")
            // A webhook over HTTP 1 is a sender, too.
            let hook = try await Client(port, sending: "GET /push/\(secret) HTTP/1.1\r\nhost: a\r\n\r\n")
            #expect(try await hook.answer.get().hasPrefix("HTTP/1.1 200"))
            try await Client(port).channel.closeFuture.get()
            #expect(hook.channel.isActive)
            #expect(try await Self.status(sender) == "200")
            try await sender.channel.close()
            try await hook.channel.close()
        }
    }
}
