// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@Suite("A listener serves metrics at one path, and only to its own machine at a loopback address")
struct MetricsListenerTests {
    @Test(arguments: [
        ("9750", "127.0.0.1", 9_750), (":0", "127.0.0.1", 0), ("127.0.0.1:1", "127.0.0.1", 1),
        ("[::1]:65535", "::1", 65_535), ("metrics.example:80", "metrics.example", 80),
    ])
    func `an address to listen at has an optional host and a port`(text: String, host: String, port: Int) {
        let address = ListenAddress(text)
        #expect(address?.host == host && address?.port == port)
        #expect(address?.isLoopback == (host != "metrics.example"))
    }

    @Test(arguments: [
        "", ":", "a", "1.2.3.4:", "::1:80", "[::1]", "[]:80", "65536", "-1", "+80", "http://a:80", "a b:80",
    ])
    func `text without a valid port, and an IPv6 address without brackets, are no address to listen at`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    private static let served: @Sendable (MetricsFormat) async -> MetricsListener.Answer = { .metrics("\($0)\n") }

    @Test(arguments: [
        ("GET", "/metrics", "127.0.0.1:1", "", 200, "prometheus\n"),
        ("GET", "/metrics?a=b", "localhost", "accept: application/openmetrics-text\r\n", 200, "openMetrics\n"),
        ("HEAD", "/metrics", "[::1]:9", "", 200, ""), ("POST", "/metrics", "localhost", "", 405, "use GET\n"),
        ("GET", "/", "localhost", "", 404, "only /metrics exists here\n"),
    ])
    func `a listener answers GET and HEAD of its path`(
        method: String,
        path: String,
        host: String,
        fields: String,
        status: Int,
        body: String
    ) async throws {
        let text = "\(method) \(path) HTTP/1.1\r\nhost: \(host)\r\nconnection: close\r\n\(fields)\r\n"
        let answer = try await Self.answer(to: text, Self.served)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.hasSuffix("\r\n\r\n\(body)"), "\(answer)")
    }

    @Test(arguments: ["evil.example", "127.0.0.1.evil.example:80", "localhost.evil.example", ""])
    func `a listener at a loopback address refuses the names of other hosts`(host: String) async throws {
        let text = "GET /metrics HTTP/1.1\r\nhost: \(host)\r\nconnection: close\r\n\r\n"
        #expect(try await Self.answer(to: text, Self.served).hasPrefix("HTTP/1.1 421 "))
    }

    @Test func `a listener answers 503 with the message while its host does not answer`() async throws {
        let text = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
        let answer = try await Self.answer(to: text) { _ in .unavailable("no host") }
        #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.hasSuffix("\r\n\r\nno host\n"))
    }

    /// The whole answer of a listener to one request, which has to close its connection.
    private static func answer(
        to request: String,
        _ metrics: @escaping @Sendable (MetricsFormat) async -> MetricsListener.Answer
    ) async throws -> String {
        let address = try #require(ListenAddress("0"))
        let (bound, signal) = AsyncStream.makeStream(of: String.self)
        let server = Task {
            try await MetricsListener.serve(on: address, onListening: { signal.yield($0) }, metrics: metrics)
        }
        defer { server.cancel() }
        var places = bound.makeAsyncIterator()
        let port = try #require(await places.next()?.split(separator: ":").last.flatMap { Int($0) })
        let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await client.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var answer = ByteBuffer()
            for try await part in inbound { answer.writeImmutableBuffer(part) }
            return String(buffer: answer)
        }
    }
}
