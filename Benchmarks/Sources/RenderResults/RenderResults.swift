// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Measuring

/// Combines the stored runs of all benchmarks into `results.json`, `results.md` and `results.svg`.
/// `RenderResults PROGRAMS BENCH`
@main
struct RenderResults {
    static func main() {
        BenchmarkError.exiting {
            let arguments = CommandLine.arguments
            guard arguments.count == 3 else { throw BenchmarkError("usage: RenderResults PROGRAMS BENCH") }
            let programs = Programs(host: arguments[1], bench: arguments[2])
            try Report(Run.all(programs)).write(programs)
            print("results: \(programs.bench)/results/results.md, results.json, results.svg")
        }
    }
}
