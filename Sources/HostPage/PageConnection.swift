// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlClient
import NIOCore
import NIOHTTP1

/// One connection of a browser: its requests, one after the other.
struct PageConnection: Sendable {
    typealias Channel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    private typealias Parts = NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
    private typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// Maximum size of a body in bytes: that of the route with the largest one.
    private static let largestBody = 2 << 20

    private let channel: Channel
    private let isOneTooMany: Bool
    private let present = PresentAnswer()

    init(_ channel: Channel, isOneTooMany: Bool) {
        (self.channel, self.isOneTooMany) = (channel, isOneTooMany)
    }

    func serve(_ answerer: PageAnswerer, port: Int) async throws {
        let present = present
        channel.channel.closeFuture.whenComplete { _ in present.connectionClosed() }
        try await channel.executeThenClose { inbound, outbound in
            var parts = inbound.makeAsyncIterator()
            while let (request, isKept) = try await Self.next(&parts) {
                if isOneTooMany {
                    return try await write(PageAnswer(.tooManyConnections), closes: true, to: outbound)
                }
                try await present.run {
                    try await write(await answerer.answer(request, port: port), closes: !isKept, to: outbound)
                }
                if !isKept { return }
            }
        }
    }

    /// The next request, and whether the connection stays open after its answer; nil at the end of the connection.
    private static func next(_ parts: inout Parts) async throws -> (PageRequest, isKept: Bool)? {
        var request: PageRequest?
        var isKept = false
        while let part = try await parts.next() {
            switch part {
            case .head(let head):
                let fields = head.headers.map { (name: $0.name, value: $0.value) }
                request = PageRequest(method: head.method.rawValue, target: head.uri, fields: fields)
                isKept = head.isKeepAlive
            case .body(let bytes):
                let count = (request?.body.count ?? 0) + bytes.readableBytes
                if count > largestBody { request?.isTooLarge = true } else { request?.body += bytes.readableBytesView }
            case .end: return request.map { ($0, isKept) }
            }
        }
        return nil
    }

    private func write(_ answer: PageAnswer, closes: Bool, to outbound: Writer) async throws {
        var head = answer.head
        if closes { head.headers.add(name: "connection", value: "close") }
        try await outbound.write(.head(head))
        switch answer {
        case .whole(_, _, let bytes): try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
        case .ofHost(let answer):
            try await answer.forEachPart { part in try await outbound.write(.body(.byteBuffer(part))) }
        }
        try await outbound.write(.end(nil))
    }
}
