// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// Combines the stored runs of all benchmarks into `results.json`, `results.md` and `results.svg` of BENCH/results.
/// With NAME and TITLE it first stores a run from the measurements of standard input.
/// `Results PROGRAMS BENCH [NAME TITLE]`
@main
struct Results {
    /// A line of standard input, in JSON: start and end of each operation in nanoseconds.
    private struct Measurement: Decodable {
        let name: String
        /// The unit of the figure: times, or operations per second.
        let unit: Figure.Unit
        let spans: [[Int64]]
        /// The name of an earlier measurement.
        let limit: String?
    }

    static func main() {
        BenchmarkError.exiting {
            let arguments = CommandLine.arguments
            guard arguments.count == 3 || arguments.count == 5 else {
                throw BenchmarkError("usage: Results PROGRAMS BENCH [NAME TITLE]")
            }
            let programs = Programs(host: arguments[1], bench: arguments[2])
            if arguments.count == 5 { try Run(arguments[4], try figures()).write(arguments[3], programs) }
            try Report(Run.all(programs)).write(programs)
            print("results: \(programs.bench)/results/results.md, results.json, results.svg")
        }
    }

    private static func figures() throws -> [Figure] {
        var figures: [String: Figure] = [:]
        var order: [String] = []
        while let line = readLine() {
            let measurement = try JSONDecoder().decode(Measurement.self, from: Data(line.utf8))
            var calls = Calls()
            for span in measurement.spans where span.count == 2 { calls.add(span[0], span[1]) }
            let figure = try Figure(
                measurement.name,
                measurement.unit,
                measurement.unit == .perSecond ? calls.rates() : calls.times,
                limit: measurement.limit.flatMap { figures[$0] }
            )
            print(figure.line)
            figures[measurement.name] = figure
            order.append(measurement.name)
        }
        return order.compactMap { figures[$0] }
    }
}
