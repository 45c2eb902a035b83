// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LocatedYAML
import Scheduling
import TaskModel
import Testing

@testable import Replay

extension ReplayScenario {
    /// A scenario from a trace and a population in YAML, without stagger unless `configure` sets one.
    static func of(
        _ length: Length = .day,
        trace: String,
        plugins: String,
        seed: UInt64 = 1,
        configure: (inout SchedulingConfiguration) -> Void = { _ in }
    ) throws -> ReplayScenario {
        let trace = ConditionTrace.decode(text: "trace: 1\n" + trace)
        let population = PluginPopulation.decode(text: "population: 1\nplugins:\n" + plugins)
        try #require(trace.problems.isEmpty && population.problems.isEmpty, "\(trace.problems) \(population.problems)")
        var configuration = SchedulingConfiguration()
        configuration.policies.stagger = .zero
        // The plugins of these tests refresh every few minutes.
        configuration.policies.kindSpacing = [:]
        configure(&configuration)
        return ReplayScenario(
            length: length,
            trace: try #require(trace.value),
            population: try #require(population.value),
            configuration: configuration,
            seed: seed
        )
    }

    /// A scenario with `count` generated plugins and a shipped trace.
    static func shipped(_ trace: String, _ length: Length, count: Int, seed: UInt64) throws -> ReplayScenario {
        ReplayScenario(
            length: length,
            trace: try #require(ConditionTrace.decode(path: ShippedFiles.path(trace)).value),
            population: .seeded(count: count, seed: seed),
            seed: seed
        )
    }
}

/// Finds the replay files that are installed with the programs.
enum ShippedFiles {
    static let traces = ["laptop.yaml", "office.yaml", "server.yaml"]

    static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Demo/replays/\(name)")
            .standardizedFileURL.path
    }
}

extension ReplayReport {
    func plugin(_ name: String) throws -> Plugin { try #require(plugins.first { $0.plugin == name }) }

    func launches(of name: String) -> [ReportedLaunch] { launches.filter { $0.plugin == name && $0.lane != "event" } }
}

extension ReplayReport.Plugin {
    func waited(for reason: String) -> Int64 { waits.first { $0.reason == reason }?.total ?? 0 }
    func expirations(because reason: String) -> Int { expirations.first { $0.name == reason }?.count ?? 0 }
    func outcomes(_ name: String) -> Int { outcomes.first { $0.name == name }?.count ?? 0 }
}
