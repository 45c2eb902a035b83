// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// One kept-alive connection to a host's control socket, without a library whose time would be measured as well. The
/// host closes a connection that is idle for some seconds.
package final class Control {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)

    package init(socket path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw BenchmarkError("\(path) is too long")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw BenchmarkError("no host answers at \(path)")
        }
    }

    deinit { close(descriptor) }

    /// Sends a GET, and returns the body of the answer once it is complete.
    package func get(_ path: String) throws -> String {
        try answer(to: "GET \(path) HTTP/1.1\r\nHost: bgtask\r\n\r\n")
    }

    /// Sends a DELETE, and returns the body of the answer once it is complete.
    package func delete(_ path: String) throws -> String {
        try answer(to: "DELETE \(path) HTTP/1.1\r\nHost: bgtask\r\n\r\n")
    }

    /// Sends a POST, and returns the body of the answer once it is complete.
    package func post(_ path: String, _ body: String) throws -> String {
        let head = "POST \(path) HTTP/1.1\r\nHost: bgtask\r\nContent-Type: application/json\r\n"
        return try answer(to: head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
    }

    private func answer(to text: String) throws -> String {
        let request = Array(text.utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw BenchmarkError("the host closed the connection")
        }
        var answer: [UInt8] = []
        var end: Int?
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { throw BenchmarkError("the host closed the connection") }
            answer += buffer[..<count]
            if end == nil { end = try Self.end(of: answer) }
            if let end, answer.count >= end { return Self.body(of: answer[..<end]) }
        }
    }

    private static let blankLine = Array("\r\n\r\n".utf8)

    /// Length of the whole answer in bytes; nil until its head is complete.
    private static func end(of answer: [UInt8]) throws -> Int? {
        guard let start = start(of: answer[...]) else { return nil }
        let head = String(decoding: answer[..<start], as: UTF8.self).lowercased()
        guard let field = head.range(of: "content-length: "),
            let length = Int(head[field.upperBound...].prefix { $0.isNumber })
        else { throw BenchmarkError("an answer without a length: \(head)") }
        return start + length
    }

    private static func body(of answer: ArraySlice<UInt8>) -> String {
        String(decoding: answer[(start(of: answer) ?? answer.endIndex)...], as: UTF8.self)
    }

    private static func start(of answer: ArraySlice<UInt8>) -> Int? {
        guard answer.count >= 4 else { return nil }
        return (4...answer.count).first { answer[($0 - 4)..<$0].elementsEqual(blankLine) }
    }
}
