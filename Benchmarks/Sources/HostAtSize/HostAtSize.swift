// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// A host under floods and with many pending requests, measured by `make bench-size`. Each part writes its rows to
/// BENCH/size; `table` combines them into one table. The part `forecasts` uses the population of `lists`, and fails when
/// a forecast keeps the host from other calls. The part `hostile` measures the time from a submission of an ordinary
/// plugin to its handler. It fails when a hostile plugin more than doubles the median.
///
///     HostAtSize PROGRAMS BENCH floods none|calls|cancellations|frames
///     HostAtSize PROGRAMS BENCH hostile
///     HostAtSize PROGRAMS BENCH lists|start prepare|measure
///     HostAtSize PROGRAMS BENCH forecasts
///     HostAtSize PROGRAMS BENCH table
@main
struct HostAtSize {
    static func main() {
        BenchmarkError.exiting { try run() }
    }

    private static func run() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count > 2 else { throw BenchmarkError("usage: HostAtSize PROGRAMS BENCH PART [CASE]") }
        let programs = Programs(host: arguments[0], bench: arguments[1])
        try FileManager.default.createDirectory(atPath: Rows.directory(programs), withIntermediateDirectories: true)
        switch Array(arguments.dropFirst(2)) {
        case ["floods", "none"]: try Floods(programs, by: nil).measure()
        case ["floods", "calls"]: try Floods(programs, by: .calls).measure()
        case ["floods", "cancellations"]: try Floods(programs, by: .cancellations).measure()
        case ["floods", "frames"]: try Floods(programs, by: .frames).measure()
        case ["hostile"]: try Hostile(programs).measure()
        case ["lists", "prepare"]: try Population.lists(programs).prepare(programs)
        case ["lists", "measure"]: try Lists(programs).measure()
        case ["forecasts"]: try Forecasts(programs).measure()
        case ["start", "prepare"]: try Population.start(programs).prepare(programs)
        case ["start", "measure"]: try Start(programs).measure()
        case ["table"]: print(try Table(programs).write())
        case let part: throw BenchmarkError("there is no part \(part.joined(separator: " "))")
        }
    }
}
