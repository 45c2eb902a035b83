// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Durable submissions without pause. Each call is answered when its requests are on disk, and each request has a task
/// of its own, so that none replaces another.
package struct Submissions {
    private let connections: Int
    private let batch: Int?
    private let identifier: @Sendable (Int) -> String

    /// - Parameters:
    ///   - connections: number of threads, each with a connection.
    ///   - batch: number of requests in each call; nil for calls with a single request.
    ///   - identifier: the task of a request by its number. All are distinct.
    package init(connections: Int = 1, batch: Int? = nil, identifier: @escaping @Sendable (Int) -> String) {
        (self.connections, self.batch, self.identifier) = (connections, batch, identifier)
    }

    package func measure(_ socket: String, seconds: Int) throws -> Calls {
        let askers = try (0..<connections).map { connection in
            try Asker(socket) { [self] control, number in
                try submit(control, number: number * connections + connection)
            }
        }
        usleep(UInt32(seconds) * 1_000_000)
        var calls = Calls()
        for asker in askers { calls.add(try asker.stop()) }
        return calls
    }

    private func submit(_ control: Control, number: Int) throws {
        let path = batch == nil ? "/v1/tasks" : "/v1/tasks/batch"
        let body = batch.map { Self.batch(($0 * number..<$0 * (number + 1)).map(request)) } ?? request(number)
        let answer = try control.post(path, body)
        guard answer.contains("\"submission\""), !answer.contains("\"error\"") else {
            throw BenchmarkError("refused: \(answer.prefix(1_000))")
        }
    }

    private func request(_ number: Int) -> String {
        Self.request(identifier(number), #""earliest_begin":"2099-01-01T00:00:00Z""#)
    }

    /// A processing request with further fields.
    package static func request(_ identifier: String, _ fields: String) -> String {
        #"{"identifier":"\#(identifier)","kind":"processing",\#(fields)}"#
    }

    /// The body of a batch.
    package static func batch(_ requests: [String]) -> String { #"{"requests":[\#(requests.joined(separator: ","))]}"# }
}
