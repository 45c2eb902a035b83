// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
package import Foundation

/// A host's HTTP response to one call, without interpretation.
package struct RawAnswer: Sendable {
    package let status: Int
    /// Values of the response headers, by lower-case name.
    package let headers: [String: String]
    package let body: Data

    package init(_ text: String) throws {
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\r\n")
        guard parts.count == 2, let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { throw HostFailure("no answer in HTTP: \(text)") }
        self.status = status
        let fields = lines.dropFirst().compactMap { line in
            line.firstRange(of: ": ").map { (line[..<$0.lowerBound].lowercased(), String(line[$0.upperBound...])) }
        }
        headers = Dictionary(fields, uniquingKeysWith: { first, _ in first })
        body = Data(parts[1].utf8)
    }

    package var type: String { headers["content-type"] ?? "" }

    package func json() throws -> JSONValue { try JSONValue(parsing: body) }
}

extension HostFixture {
    /// Sends one call to the host without any check of the method, the path or the body. The headers are `host`,
    /// `connection: close` and, with a body, `content-length`.
    package func rawCall(_ method: String, _ path: String, body: String = "") throws -> RawAnswer {
        let length = body.isEmpty ? "" : "content-length: \(body.utf8.count)\r\n"
        let head = "\(method) \(path) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\(length)\r\n"
        return try RawAnswer(RawCaller(of: self, saying: head + body).answer())
    }
}
