// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Replay

@Suite("A population is derived from the observed runs of a journal")
struct ObservedTests {
    private func run(_ hour: Int, took seconds: Int, _ outcome: TaskOutcome) throws -> ObservedRun {
        ObservedRun(
            plugin: try #require(PluginIdentifier("com.example.app")),
            identifier: try #require(TaskIdentifier("com.example.app.index")),
            kind: .processing,
            startedAt: ReplayScenario.begin + .seconds(hour * 3_600),
            took: .seconds(seconds),
            outcome: outcome
        )
    }

    @Test
    func `run times, interval, failure rate and conditions of a task are derived from its observed runs`() throws {
        let runs = [
            try run(9, took: 20, .succeeded), try run(0, took: 10, .succeeded), try run(3, took: 600, .expired),
            try run(6, took: 30, .failed),
        ]
        let population = PluginPopulation(observed: runs) { _ in [.network] }
        let task = try #require(population.plugins.first?.tasks.first)
        #expect(task.takes == .observed([.seconds(10), .seconds(30), .seconds(20)]))
        #expect(task.every == .seconds(3 * 3_600))
        #expect(task.fails == 25)
        #expect(task.overruns == 0)
        #expect(task.requiresNetwork && !task.requiresExternalPower)
    }

    @Test func `a task observed only once has no interval in the derived population`() throws {
        let population = PluginPopulation(observed: [try run(0, took: 10, .succeeded)]) { _ in [] }
        #expect(population.plugins.first?.tasks.first?.every == nil)
    }
}
