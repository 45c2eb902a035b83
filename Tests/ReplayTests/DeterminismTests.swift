// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@testable import Replay

@Suite("The same seed produces the same replay")
struct DeterminismTests {
    private func outcome(of scenario: ReplayScenario) throws -> (report: Data, drawing: String) {
        let record = scenario.play()
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try encoder.encode(record.report), ReplayTimeline(record).text)
    }

    @Test(arguments: ShippedFiles.traces)
    func `two replays with the same seed have equal reports and timelines, byte for byte`(trace: String) throws {
        let first = try outcome(of: .shipped(trace, .day, count: 12, seed: 5))
        let second = try outcome(of: .shipped(trace, .day, count: 12, seed: 5))
        #expect(first.report == second.report)
        #expect(first.drawing == second.drawing)
    }

    @Test func `replays with the seeds 5 and 6 have different reports`() throws {
        let first = try outcome(of: .shipped("office.yaml", .day, count: 6, seed: 5))
        let second = try outcome(of: .shipped("office.yaml", .day, count: 6, seed: 6))
        #expect(first.report != second.report)
    }

    @Test
    func `a second plugin in a replay changes neither the budgets nor, by more than 200 ms, the run times of a task`()
        throws
    {
        let plugin = """
              com.example.one:
                tasks: { com.example.one.poll: { kind: refresh, every: 1h, takes: { least: 1s, typical: 3s, most: 9s } } }

            """
        let other = plugin.replacing("com.example.one", with: "com.example.two").replacing("1h", with: "7min")
        let alone = try ReplayScenario.of(trace: "", plugins: plugin).play().report
        let together = try ReplayScenario.of(trace: "", plugins: plugin + other).play().report
        #expect(
            alone.launches(of: "com.example.one").map { $0.budget }
                == together.launches(of: "com.example.one").map { $0.budget }
        )
        let tenth: Int64 = 100_000_000
        let times = [alone, together].map { $0.launches(of: "com.example.one").compactMap(\.used).map { $0 / tenth } }
        #expect(times[0].count > 20)
        // The time of entry and exit differs slightly between runs.
        #expect(zip(times[0], times[1]).allSatisfy { abs($0 - $1) <= 1 })
    }

    @Test func `in a replay of a day with a hundred plugins, each plugin has requests and most have launches`() throws {
        let report = try ReplayScenario.shipped("office.yaml", .day, count: 100, seed: 1).play().report
        #expect(report.plugins.count == 100)
        #expect(report.plugins.allSatisfy { $0.requests > 0 })
        #expect(report.plugins.count { $0.launches > 0 } > 90)
    }
}
