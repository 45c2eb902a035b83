// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// One kept-alive connection to a host's control socket, with no library between it and the clock.
final class Control {
    private let descriptor: Int32

    init(socket path: String) throws {
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
        guard status == 0 else { throw BenchmarkError("nobody answers at \(path)") }
    }

    deinit { close(descriptor) }

    /// Returns once the whole answer is there.
    func post(_ path: String, _ body: String) throws -> String {
        let head = "POST \(path) HTTP/1.1\r\nHost: bgtask\r\nContent-Type: application/json\r\n"
        let request = Array((head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body).utf8)
        guard write(descriptor, request, request.count) == request.count else {
            throw BenchmarkError("the host is gone")
        }
        var answer = ""
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { throw BenchmarkError("the host is gone") }
            answer += String(decoding: buffer[..<count], as: UTF8.self)
            if let body = Self.body(of: answer) { return body }
        }
    }

    private static func body(of answer: String) -> String? {
        guard let end = answer.range(of: "\r\n\r\n") else { return nil }
        let head = answer[..<end.lowerBound].lowercased()
        guard let field = head.range(of: "content-length: ") else { return nil }
        guard let length = Int(head[field.upperBound...].prefix { $0.isNumber }) else { return nil }
        let body = answer[end.upperBound...]
        return body.utf8.count >= length ? String(body) : nil
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
