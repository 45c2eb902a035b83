// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import NIOCore
import NIOHTTP1

/// The fields of a request that the benchmark sends.
struct Request: Decodable, Sendable {
    let identifier: String
    let kind: String
    let earliest_begin: String
}

private struct Batch: Decodable {
    let requests: [Request]
}

private struct Answer: Encodable {
    let submission: Int64
    let identifier: String
}

private struct BatchAnswer: Encodable {
    let results: [Answer]
}

/// Answers each call of a connection after its requests are on disk. A connection sends one call after the other.
final class SubmissionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let writer: GroupWriter
    private var isBatch = false
    private var body = ByteBuffer()

    init(_ writer: GroupWriter) { self.writer = writer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isBatch = head.uri.hasSuffix("/batch")
            body.clear()
        case .body(var part): body.writeBuffer(&part)
        case .end: submit(context)
        }
    }

    private func submit(_ context: ChannelHandlerContext) {
        let data = Data(body.readableBytesView)
        let (isBatch, decoder) = (isBatch, JSONDecoder())
        let requests =
            isBatch
            ? try? decoder.decode(Batch.self, from: data).requests
            : (try? decoder.decode(Request.self, from: data)).map { [$0] }
        guard let requests else { return context.close(promise: nil) }
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        writer.add(requests) { first in
            let answers = requests.enumerated().map { Answer(submission: first + Int64($0), identifier: $1.identifier) }
            let encoder = JSONEncoder()
            let json = isBatch ? try? encoder.encode(BatchAnswer(results: answers)) : try? encoder.encode(answers[0])
            context.eventLoop.execute { self.answer(json ?? Data(), context.value) }
        }
    }

    private func answer(_ json: Data, _ context: ChannelHandlerContext) {
        let fields: HTTPHeaders = ["content-type": "application/json", "content-length": "\(json.count)"]
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: json)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

/// A handler is used on the event loop of its channel alone.
extension SubmissionHandler: @unchecked Sendable {}
