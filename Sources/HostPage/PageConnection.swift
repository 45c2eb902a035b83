// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlClient
import NIOCore
import NIOHTTP1

/// One connection of a browser: its requests, one after the other.
struct PageConnection: Sendable {
    typealias Channel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    private typealias Parts = NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
    private typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// Maximum time until the end of the next request's head, and from there until the end of its body.
    private static let timeout = TimeAmount.seconds(10)

    private let channel: Channel
    private let noteToken: OpenConnections.Note
    private let present = PresentAnswer()

    /// - Parameter noteToken: runs for each call with the token.
    init(_ channel: Channel, noteToken: @escaping OpenConnections.Note) {
        (self.channel, self.noteToken) = (channel, noteToken)
    }

    /// Serves until either side closes. A refused request ends its connection: its body is never read.
    func serve(_ answerer: PageAnswerer, port: Int) async throws {
        let present = present
        channel.channel.closeFuture.whenComplete { _ in present.connectionClosed() }
        try await channel.executeThenClose { inbound, outbound in
            var parts = inbound.makeAsyncIterator()
            while let head = try await nextHead(&parts) {
                var request = PageRequest(head)
                if let refusal = answerer.refusal(of: request, port: port) {
                    return try await write(PageAnswer(refusal), closes: true, to: outbound)
                }
                if !request.isForFile { noteToken() }
                guard let body = try await nextBody(&parts, atMost: request.maximumBody) else {
                    return try await write(PageAnswer(.tooLarge), closes: true, to: outbound)
                }
                request.body = body
                let complete = request
                try await present.run {
                    try await write(await answerer.answer(complete), closes: !head.isKeepAlive, to: outbound)
                }
                if !head.isKeepAlive { return }
            }
        }
    }

    /// The head of the next request; nil at the end of the connection.
    private func nextHead(_ parts: inout Parts) async throws -> HTTPRequestHead? {
        let timeout = startTimeout()
        defer { timeout.cancel() }
        while let part = try await parts.next() {
            if case .head(let head) = part { return head }
        }
        return nil
    }

    /// The body of a request; nil when it exceeds the limit in bytes.
    private func nextBody(_ parts: inout Parts, atMost limit: Int) async throws -> [UInt8]? {
        let timeout = startTimeout()
        defer { timeout.cancel() }
        var body: [UInt8] = []
        while let part = try await parts.next() {
            switch part {
            case .body(let bytes):
                if body.count + bytes.readableBytes > limit { return nil }
                body += bytes.readableBytesView
            case .end: return body
            case .head: break
            }
        }
        throw ChannelError.eof
    }

    /// Closes the connection after the timeout, unless the returned schedule is cancelled.
    private func startTimeout() -> Scheduled<Void> {
        let channel = channel.channel
        return channel.eventLoop.scheduleTask(in: Self.timeout) { channel.close(promise: nil) }
    }

    private func write(_ answer: PageAnswer, closes: Bool, to outbound: Writer) async throws {
        var head = answer.head
        if closes { head.headers.add(name: "connection", value: "close") }
        try await outbound.write(.head(head))
        switch answer {
        case .whole(_, _, let bytes, _): try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
        case .ofHost(let answer):
            try await answer.forEachPart { part in try await outbound.write(.body(.byteBuffer(part))) }
        }
        try await outbound.write(.end(nil))
    }
}
