// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel
import Testing

@testable import Replay

@Suite("A replay retries failed tasks under the terms of population and configuration")
struct RetryTests {
    /// A plugin whose only request always fails, and whose manifest proposes two retries.
    private static let sync = """
          com.example.sync:
            tasks:
              com.example.sync.upload:
                kind: refresh
                every: 1h
                takes: { typical: 1s }
                fails: 100
                resubmits: never
                retry: { attempts: 3, delay: 10min, jitter: 0 }
        """

    @Test func `an accepted proposal of the population is in force in the replay`() throws {
        let identifier = try #require(PluginIdentifier("com.example.sync"))
        let scenario = try ReplayScenario.of(trace: "", plugins: Self.sync) { configuration in
            configuration.plugins[identifier, default: PluginPolicy()].retries = RetryChoices(.accept)
        }
        let report = scenario.play().report
        let plugin = try report.plugin("com.example.sync")
        #expect(plugin.outcomes("retrying") == 2 && plugin.outcomes("failed") == 1)
        let starts = report.launches(of: "com.example.sync").map(\.start)
        try #require(starts.count == 3)
        #expect(starts[1] - starts[0] >= 600_000_000_000 && starts[2] - starts[1] >= 1_200_000_000_000)
    }

    @Test func `a proposal that the configuration does not accept has no effect in the replay`() throws {
        let report = try ReplayScenario.of(trace: "", plugins: Self.sync).play().report
        let plugin = try report.plugin("com.example.sync")
        #expect(plugin.outcomes("retrying") == 0 && plugin.outcomes("failed") == 1 && plugin.launches == 1)
    }
}
