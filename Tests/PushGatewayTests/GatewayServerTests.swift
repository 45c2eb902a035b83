// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import StatementTraits
import TaskModel
import Testing

@testable import ControlClient
@testable import PushGateway

@Suite("The gateway frames its answers as clients of Apple's service need them", .proves("C22"))
struct GatewayServerTests {
    /// An answer as its frames arrived.
    struct Received: Hashable, Sendable {
        var status = ""
        var id = ""
        /// The number of frames, and whether the stream ended with the last one.
        var frames = 0
        var body = ""
        var endedWithFields = false
    }

    /// Collects the frames of one stream.
    final class Collector: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias OutboundOut = HTTP2Frame.FramePayload

        private let result: EventLoopPromise<Received>
        private var received = Received()

        init(_ result: EventLoopPromise<Received>) { self.result = result }

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

    /// Runs `body` with the port of a gateway without TLS.
    private static func serving<Result>(
        _ host: RecordingHost = RecordingHost(),
        _ body: (Int) async throws -> Result
    ) async throws -> Result {
        var keys = KeySet()
        keys.add(try Samples.key())
        let set = keys
        let gateway = Gateway(
            keys: { _ in set },
            limits: FloodLimits(rate: 1000, burst: 1000),
            host: host,
            times: .init(monotonic: { Samples.start }, wall: { Samples.now })
        )
        let (bound, signal) = AsyncStream.makeStream(of: String.self)
        let server = Task {
            try await GatewayServer.serve(gateway, on: .loopback(port: 0), tls: nil) { signal.yield($0) }
        }
        var places = bound.makeAsyncIterator()
        let port = try #require(await places.next()?.split(separator: ":").last.flatMap { Int($0) })
        let result: Result
        do {
            result = try await body(port)
        } catch {
            server.cancel()
            throw error
        }
        server.cancel()
        try await server.value
        return result
    }

    /// Sends requests on one HTTP/2 connection, and returns the answers in the order of the requests.
    private static func send(_ requests: [HPACKHeaders], body: String, to port: Int) async throws -> [Received] {
        let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
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
        let results = requests.map { headers in
            let result = client.0.eventLoop.makePromise(of: Received.self)
            client.1.createStreamChannel(promise: nil) { stream in
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
        var received: [Received] = []
        for result in results { received.append(try await result.get()) }
        try await client.0.close()
        return received
    }

    /// The fields of a push as the client aioapns sends them: with `host`, and without `:authority`.
    private static func push(_ id: String, priority: String = "5") throws -> HPACKHeaders {
        HPACKHeaders([
            (":method", "POST"), (":scheme", "https"), (":path", "/3/device/\(Samples.deviceToken)"),
            ("host", "api.push.apple.com"), ("apns-id", id), ("apns-topic", "com.example.feed"),
            ("apns-push-type", "background"), ("apns-priority", priority),
            ("authorization", try Samples.authorized.get()),
        ])
    }

    private static let id = "eabeae54-14a8-11e5-b60b-1697f925ec7b"

    @Test func `a success without authority ends with its fields, and an error has one body frame`() async throws {
        try await Self.serving { port in
            let requests = [try Self.push(Self.id), try Self.push(Self.id, priority: "10")]
            let answers = try await Self.send(requests, body: "{}", to: port)
            #expect(answers[0] == Received(status: "200", id: Self.id, frames: 1, endedWithFields: true))
            let error = Received(status: "400", id: Self.id, frames: 2, body: #"{"reason":"BadPriority"}"#)
            #expect(answers[1] == error)
        }
    }

    @Test func `many pushes on one connection are all answered once`() async throws {
        let host = RecordingHost()
        try await Self.serving(host) { port in
            let pushes = try (1...100).map { _ in try Self.push(UUID().uuidString) }
            let answers = try await Self.send(pushes, body: "{}", to: port)
            #expect(answers.allSatisfy { $0.status == "200" } && answers.count == 100)
        }
        #expect(host.pushes.count == 100)
    }

    @Test(arguments: [(4096, "200", ""), (4097, "413", #"{"reason":"PayloadTooLarge"}"#)])
    func `a payload has at most 4096 bytes`(size: Int, status: String, body: String) async throws {
        try await Self.serving { port in
            let payload = String(repeating: "a", count: size)
            let answers = try await Self.send([try Self.push(Self.id)], body: payload, to: port)
            #expect(answers.map(\.status) == [status] && answers.map(\.body) == [body])
        }
    }

    @Test func `a push without a payload is refused`() async throws {
        try await Self.serving { port in
            let answers = try await Self.send([try Self.push(Self.id)], body: "", to: port)
            #expect(answers.map(\.body) == [#"{"reason":"PayloadEmpty"}"#])
        }
    }

    @Test func `a stopping gateway ends its connections, and its address is free afterwards`() async throws {
        let port = try await Self.serving { port in
            _ = try await Self.send([try Self.push(Self.id)], body: "{}", to: port)
            return port
        }
        await #expect(throws: (any Error).self) {
            try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: port).get()
        }
    }
}
