// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Glibc
import HostTestKit

/// An HTTP server on the loopback interface that answers posts with given statuses, one per connection.
final class WebhookReceiver: Sendable {
    /// The requests so far: head and body, separated by an empty line.
    let requests = Tape<String>()
    let url: String
    private let listener: TestListener

    init(answering statuses: [Int]) throws {
        let listener = try TestListener.internet()
        (self.listener, url) = (listener, "http://127.0.0.1:\(listener.port)/hook")
        let requests = requests
        let thread = Thread {
            for status in statuses {
                guard let connection = listener.accept() else { break }
                requests.append(Self.request(from: connection))
                let answer = "HTTP/1.1 \(status) Test\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                _ = answer.withCString { send(connection, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
                Glibc.close(connection)
            }
            requests.finish()
        }
        thread.name = "webhook"
        thread.start()
    }

    func close() { listener.close() }

    /// Reads a request until its body has the announced length, or until the client closes the connection.
    private static func request(from connection: Int32) -> String {
        var bytes: [UInt8] = []
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            let end = text.range(of: "\r\n\r\n")?.upperBound
            if let end, text[end...].utf8.count >= length(in: text) { return text }
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = recv(connection, &chunk, chunk.count, 0)
            if count <= 0 { return text }
            bytes += chunk.prefix(count)
        }
    }

    private static func length(in head: String) -> Int {
        for line in head.lowercased().components(separatedBy: "\r\n") where line.hasPrefix("content-length:") {
            return Int(line.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) ?? 0
        }
        return 0
    }
}
