// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// A benchmark of forecasts of a host with 100,000 pending requests: their time, the memory of the host, and their cost
/// for concurrent decisions. It fails when the host answers too few other calls during a forecast.
struct Forecasts {
    private static let rounds = 5
    /// Minimum number of other calls that begin and end during one forecast. Each takes a turn of the loop.
    private static let leastAnswers = 20

    /// The measured forecasts of one order.
    private struct Result {
        var times: [Int64] = []
        var turns: [Int64] = []
        var answers: [Int] = []
        var megabytes = 0
        var end = ""
        var launches = 0
    }

    private let programs: Programs
    private let population: Population

    init(_ programs: Programs) {
        self.programs = programs
        population = .lists(programs)
    }

    func measure() throws {
        let host = try MeasuredHost(programs, in: try population.restored())
        defer { host.stop() }
        try host.waitUntilLoaded()
        // The evaluation of every plugin that follows a start is over by then.
        sleep(10)
        var rows = Rows()
        try measure("present conditions", "{}", host, &rows)
        try measure("the machine idle", #"{"conditions":{"idle":true}}"#, host, &rows)
        try rows.write("4-forecasts", programs)
    }

    private func measure(_ name: String, _ order: String, _ host: MeasuredHost, _ rows: inout Rows) throws {
        let before = host.kilobytes("VmRSS") >> 10
        let result = try forecasts(order, host)
        let name = "\(population.total) pending, \(name): forecast of a day"
        rows.add(
            "\(name) (\(result.launches) launches; \(result.end)), ms (p50 / p99 / max)",
            now: Distribution(result.times).text
        )
        rows.add(
            "\(name): the thread of decisions, ms of processor time (p50 / p99 / max)",
            now: Distribution(result.turns).text
        )
        rows.add("\(name): memory of the host before, and most during it, MiB", now: "\(before), \(result.megabytes)")
        let least = result.answers.min() ?? 0
        rows.add(
            "\(name): least number of other calls answered during it",
            now: "\(least)",
            target: "at least \(Self.leastAnswers)"
        )
        guard least >= Self.leastAnswers else {
            throw BenchmarkError(
                "\(name): \(least) other calls were answered meanwhile; a turn of the loop blocks them"
            )
        }
    }

    /// Measures forecasts alone, and counts the calls that are answered during a further one.
    private func forecasts(_ order: String, _ host: MeasuredHost) throws -> Result {
        var result = Result()
        for _ in 0..<Self.rounds {
            resetMostMemory(of: host)
            let control = try host.connect()
            let used = try host.processorTime(ofThread: "decisions")
            let start = monotonicNow()
            let text = try control.post("/v1/forecast", order)
            result.times.append(monotonicNow() - start)
            result.turns.append(try host.processorTime(ofThread: "decisions") - used)
            result.megabytes = max(result.megabytes, host.kilobytes("VmHWM") >> 10)
            let answer = JSON(text)
            guard let launches = answer["launch_count"].integer else { throw BenchmarkError("no forecast: \(text)") }
            result.launches = launches
            result.end = answer["cut"]["reason"].text.map { "ended by \($0)" } ?? "whole"
            result.answers.append(try answersDuringForecast(order, host))
        }
        return result
    }

    /// The number of calls that begin and end during a forecast.
    private func answersDuringForecast(_ order: String, _ host: MeasuredHost) throws -> Int {
        let control = try host.connect()
        let asker = try Asker(host.directory.socket, path: "/v1/host", pause: 0)
        let start = monotonicNow()
        _ = try control.post("/v1/forecast", order)
        let end = monotonicNow()
        return try asker.stop().spans.count { $0.start >= start && $0.end <= end }
    }

    /// Lets the kernel count the most memory of the host anew.
    private func resetMostMemory(of host: MeasuredHost) {
        try? "5\n".write(toFile: "/proc/\(host.pid)/clear_refs", atomically: false, encoding: .utf8)
    }
}
