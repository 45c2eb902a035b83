// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// A benchmark of durable submissions by one caller to a host with many plugins: one request per call, and batches of
/// 100 requests.
struct Batches {
    private static let size = 100
    private static let seconds = 10

    private let population: Population
    private let socket: String

    init(_ population: Population, on host: MeasuredHost) {
        self.population = population
        socket = host.directory.socket
    }

    func measure(_ rows: inout Rows) throws {
        let size = "\(population.plugins) plugins with \(population.each) pending each"
        let single = try rate(batch: nil, from: 0)
        rows.add("\(size): durable submissions a second, one in each call", now: single)
        rows.add(
            "\(size): durable submissions a second, in batches of \(Self.size)",
            now: try rate(batch: Self.size, from: 1_000_000)
        )
    }

    /// Requests per second as text.
    ///
    /// - Parameter first: number of the first request. Tasks with this number and above have no pending request.
    private func rate(batch: Int?, from first: Int) throws -> String {
        let submissions = Submissions(batch: batch) { [population] number in
            population.task(population.each + first + number, of: number % population.plugins)
        }
        let calls = try submissions.measure(socket, seconds: Self.seconds)
        return String(format: "%.0f", Double(calls.spans.count * (batch ?? 1)) / Double(calls.duration) * 1e9)
    }
}
