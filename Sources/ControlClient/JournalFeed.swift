// Part of bgtask, under the Apache License 2.0; see LICENSE.

import AsyncHTTPClient
package import ControlAPI
import FoundationEssentials
import NIOCore

/// The stream of journal entries of a call that follows the journal. It ends when the host ends it, throws when the
/// connection is lost or a line is invalid, and never reconnects.
package struct JournalFeed: AsyncSequence, Sendable {
    package typealias Element = JournalLine
    package typealias Failure = ControlError

    let socket: String
    let body: HTTPClientResponse.Body

    package func makeAsyncIterator() -> Iterator {
        Iterator(socket: socket, chunks: body.makeAsyncIterator())
    }

    package struct Iterator: AsyncIteratorProtocol {
        private let socket: String
        private var chunks: HTTPClientResponse.Body.AsyncIterator
        private var splitter = LineSplitter()
        private var waiting: ArraySlice<[UInt8]> = []

        fileprivate init(socket: String, chunks: HTTPClientResponse.Body.AsyncIterator) {
            self.socket = socket
            self.chunks = chunks
        }

        package mutating func next() async throws(ControlError) -> JournalLine? {
            while waiting.isEmpty {
                guard let chunk = try await nextChunk() else {
                    if splitter.holdsUnfinishedLine {
                        throw .journalEnded(socket: socket, isInOrder: false)
                    }
                    return nil
                }
                waiting = splitter.append(chunk.readableBytesView)[...]
                if splitter.hasOverflowed {
                    throw misunderstood("a line of the journal has more than \(LineSplitter.longestLine) bytes")
                }
            }
            do {
                return try WireCoding.decode(JournalLine.self, from: Data(waiting.removeFirst()))
            } catch {
                throw misunderstood(WireCoding.explanation(of: error))
            }
        }

        private mutating func nextChunk() async throws(ControlError) -> ByteBuffer? {
            do {
                return try await chunks.next()
            } catch {
                // Any error of the libraries here means that the connection to the host is lost.
                throw .journalEnded(socket: socket, isInOrder: false)
            }
        }

        private func misunderstood(_ detail: String) -> ControlError { .misunderstood(socket: socket, detail: detail) }
    }
}
