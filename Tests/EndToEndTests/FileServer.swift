// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Glibc
import HostTestKit

/// An HTTP server on the loopback interface with fixed files. It serves one request per connection, answers ranges, and
/// stores uploads.
final class FileServer: Sendable {
    /// The first lines of the requests so far, such as `GET /one HTTP/1.1`, with the bodies of uploads.
    let requests = Tape<String>()
    let url: String
    private let listener: TestListener
    private let files: [String: String]
    /// The path whose first request gets half of its file; then the server waits until the client disconnects.
    private let held: String?

    init(_ files: [String: String], holding held: String? = nil) throws {
        let listener = try TestListener.internet()
        self.held = held
        (self.listener, self.files, url) = (listener, files, "http://127.0.0.1:\(listener.port)")
        let thread = Thread { [self] in
            while let connection = listener.accept() {
                serve(connection)
                Glibc.close(connection)
            }
            requests.finish()
        }
        thread.name = "file server"
        thread.start()
    }

    func close() { listener.close() }

    private func serve(_ connection: Int32) {
        let (head, body) = Self.request(from: connection)
        let line = head.components(separatedBy: "\r\n").first ?? ""
        requests.append(body.isEmpty ? line : "\(line) \(body)")
        let words = line.split(separator: " ")
        guard words.count == 3 else { return }
        if words[0] == "PUT" { return answer(connection, "201 Created", "") }
        guard let contents = files[String(words[1].dropFirst())] else {
            return answer(connection, "404 Not Found", "")
        }
        if words[1].dropFirst() == held ?? "", requests.elements.count(where: { $0 == line }) == 1 {
            return hold(connection, contents)
        }
        answer(connection, "200 OK", contents, "etag: \"1\"\r\naccept-ranges: bytes\r\n")
    }

    private func answer(_ connection: Int32, _ status: String, _ body: String, _ headers: String = "") {
        let head = "HTTP/1.1 \(status)\r\ncontent-length: \(body.utf8.count)\r\nconnection: close\r\n\(headers)\r\n"
        let bytes = Array((head + body).utf8)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private func hold(_ connection: Int32, _ contents: String) {
        let head = "HTTP/1.1 200 OK\r\ncontent-length: \(contents.utf8.count)\r\netag: \"1\"\r\n\r\n"
        let bytes = Array(head.utf8) + contents.utf8.prefix(contents.utf8.count / 2)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
    }

    /// Reads a request until its body has the announced length, or until the client closes the connection.
    private static func request(from connection: Int32) -> (head: String, body: String) {
        var bytes: [UInt8] = []
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let body = String(text[end.upperBound...])
                if body.utf8.count >= length(in: text) { return (String(text[..<end.lowerBound]), body) }
            }
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = recv(connection, &chunk, chunk.count, 0)
            if count <= 0 { return (text, "") }
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
