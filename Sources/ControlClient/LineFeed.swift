// Part of bgtask, under the Apache License 2.0; see LICENSE.

import AsyncHTTPClient
import ControlAPI
import FoundationEssentials
import NIOCore

/// The stream of lines of a call that follows the journal or a log. It ends when the host ends it, throws when the
/// connection is lost or a line is invalid, and never reconnects.
package struct LineFeed<Line: Decodable & Sendable>: AsyncSequence, Sendable {
    package typealias Element = Line
    package typealias Failure = ControlError

    let socket: String
    let subject: ControlError.Stream
    let body: HTTPClientResponse.Body

    package func makeAsyncIterator() -> Iterator {
        Iterator(socket: socket, subject: subject, chunks: body.makeAsyncIterator())
    }

    package struct Iterator: AsyncIteratorProtocol {
        private let socket: String
        private let subject: ControlError.Stream
        private var chunks: HTTPClientResponse.Body.AsyncIterator
        private var splitter = LineSplitter()
        private var waiting: ArraySlice<[UInt8]> = []

        fileprivate init(
            socket: String,
            subject: ControlError.Stream,
            chunks: HTTPClientResponse.Body.AsyncIterator
        ) {
            self.socket = socket
            self.subject = subject
            self.chunks = chunks
        }

        package mutating func next() async throws(ControlError) -> Line? {
            while waiting.isEmpty {
                guard let chunk = try await nextChunk() else {
                    if splitter.holdsUnfinishedLine {
                        throw .streamEnded(subject, socket: socket, isInOrder: false)
                    }
                    return nil
                }
                waiting = splitter.append(chunk.readableBytesView)[...]
                if splitter.hasOverflowed {
                    throw misunderstood(
                        "a line of the \(subject.rawValue) has more than \(LineSplitter.longestLine) bytes"
                    )
                }
            }
            do {
                return try WireCoding.decode(Line.self, from: Data(waiting.removeFirst()))
            } catch {
                throw misunderstood(WireCoding.explanation(of: error))
            }
        }

        private mutating func nextChunk() async throws(ControlError) -> ByteBuffer? {
            do {
                return try await chunks.next()
            } catch {
                // Any error of the libraries here means that the connection to the host is lost.
                throw .streamEnded(subject, socket: socket, isInOrder: false)
            }
        }

        private func misunderstood(_ detail: String) -> ControlError { .misunderstood(socket: socket, detail: detail) }
    }
}
