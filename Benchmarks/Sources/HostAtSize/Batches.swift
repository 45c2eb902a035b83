// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// A benchmark of durable submissions by one caller: one request per call, and batches of 100 requests. Each call is
/// answered when its requests are on disk.
struct Batches {
    private static let size = 100
    private static let nanoseconds: Int64 = 10_000_000_000

    private let population: Population
    private let control: Control
    /// Number of submitted requests. Each one has a task of its own, so that none replaces another.
    private var submitted = 0

    init(_ population: Population, on host: MeasuredHost) throws {
        self.population = population
        control = try host.connect()
    }

    mutating func measure(_ rows: inout Rows) throws {
        let single = try rate { batches in
            let answer = try batches.control.post("/v1/tasks", batches.next())
            guard JSON(answer)["submission"].integer != nil else { throw BenchmarkError("refused: \(answer)") }
            return 1
        }
        let batched = try rate { batches in
            let requests = (0..<Self.size).map { _ in batches.next() }.joined(separator: ",")
            let answer = try batches.control.post("/v1/tasks/batch", #"{"requests":[\#(requests)]}"#)
            guard JSON(answer)["results"].count == Self.size, !answer.contains("\"error\"") else {
                throw BenchmarkError("refused: \(answer)")
            }
            return Self.size
        }
        let size = "\(population.plugins) plugins with \(population.each) pending each"
        rows.add("\(size): durable submissions a second, one in each call", now: String(format: "%.0f", single))
        rows.add(
            "\(size): durable submissions a second, in batches of \(Self.size)",
            now: String(format: "%.0f", batched)
        )
    }

    /// Requests per second of a call, repeated by one caller.
    private mutating func rate(_ call: (inout Self) throws -> Int) throws -> Double {
        let start = monotonicNow()
        var (count, elapsed): (Int, Int64) = (0, 0)
        while elapsed < Self.nanoseconds {
            count += try call(&self)
            elapsed = monotonicNow() - start
        }
        return Double(count) / (Double(elapsed) / 1e9)
    }

    /// The body of a request for a task without a pending request.
    private mutating func next() -> String {
        submitted += 1
        let task = population.task(population.each + submitted, of: submitted % population.plugins)
        return #"{"identifier":"\#(task)","kind":"processing","earliest_begin":"2099-01-01T00:00:00Z"}"#
    }
}
