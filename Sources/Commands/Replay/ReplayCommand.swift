// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import HostConfiguration
import Replay
import Scheduling

/// `bgtask replay`: runs the host's scheduler over a simulated day or week of a trace, without waiting between
/// decisions.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Simulate the scheduling of a day or a week, without running anything.",
        discussion: """
            Runs the scheduler of the host. A trace describes the machine, and each plugin is modelled by the run \
            times of its tasks. The same files and the same seed give the same output, byte for byte. \
            Demo/replays/laptop.yaml is a trace with every key explained, Demo/replays/plugins.yaml a file of plugins; \
            a package installs both in share/bgtask/replays. Assertions, locked containers, a GPU, legacy fetch and \
            restarts are not simulated.

            --from-journal learns the requests that plugins, schedules and extensions repeat. It prints them first, \
            and names what it leaves out: the requests of users, which the trace defines, plugins that never loaded, \
            and tasks whose interval has not passed three times.

            Examples:
              bgtask replay day --plugins plugins.yaml --conditions laptop.yaml --seed 7
              bgtask replay week --count 100 --conditions office.yaml --svg week.svg
              bgtask replay week --from-journal --conditions server.yaml
            """
    )

    @Argument(
        help: "day or week.",
        completion: .list(ReplayScenario.Length.allCases.map(\.rawValue)),
        transform: Self.length
    )
    var length: ReplayScenario.Length

    @Option(help: ArgumentHelp("A file that describes the plugins.", valueName: "file"))
    var plugins: String?

    @Option(help: ArgumentHelp("Number of plugins of a mixed, generated population.", valueName: "number"))
    var count: Int?

    @Flag(help: "Learn the plugins from a host's recorded launches and pending requests.")
    var fromJournal = false

    @Option(help: ArgumentHelp("The trace: conditions of the machine and actions of users.", valueName: "file"))
    var conditions: String

    @Option(help: ArgumentHelp("Seed of the random numbers.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "A host's configuration, with the defaults for this machine; without it, the defaults for two processors.",
            valueName: "file"
        )
    )
    var config: String?

    @Option(help: ArgumentHelp("Draw the timeline into this SVG file.", valueName: "file"))
    var svg: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var host: HostOptions

    func validate() throws {
        let sources = [plugins != nil, count != nil, fromJournal].count { $0 }
        if sources != 1 {
            throw ValidationError(
                "a replay takes its plugins from exactly one source; give one of --plugins, --count and --from-journal"
            )
        }
        if let count, !(1...1_000).contains(count) {
            throw ValidationError("--count is \(count), which is not between 1 and 1000; write a number in that range")
        }
        if conditions.isEmpty { throw ValidationError("--conditions is empty; give the path of a trace") }
    }

    func run() async throws {
        let trace = try Self.value(of: ConditionTrace.decode(path: conditions))
        var configuration = try schedulingConfiguration()
        var (population, learned) = (PluginPopulation([]), LearnedPopulation?.none)
        if let plugins {
            population = try Self.value(of: PluginPopulation.decode(path: plugins))
        } else if let count {
            population = PluginPopulation.seeded(count: count, seed: seed)
        } else {
            let found = try await learn()
            (population, configuration, learned) = (found.population, found.configuration(configuration), found)
        }
        let scenario = ReplayScenario(
            length: length,
            trace: trace,
            population: population,
            configuration: configuration,
            seed: seed
        )
        let record = Self.play(scenario)
        if let svg { try DrawingFile.write(ReplayTimeline(record).text, to: svg) }
        var report = record.report
        report.learned = learned?.rows
        try OutputOptions(json: json).show(report)
    }

    /// Runs the replay, with a line about its progress if standard error is a terminal.
    private static func play(_ scenario: ReplayScenario) -> ReplayRecord {
        let context = CommandContext.current
        guard context.isErrorTerminal else { return scenario.play() }
        var line = ReplayProgressLine(at: context.now())
        let record = scenario.play { progress in
            if let text = line.text(progress, at: context.now()) { context.standardError(text) }
        }
        if let end = line.end { context.standardError(end) }
        return record
    }

    /// Learns from the journal of the host, and prints the learned tasks before the replay runs. With `--json` the
    /// report contains it.
    private func learn() async throws -> LearnedPopulation {
        let learned = try await host.connected { client in
            LearnedPopulation(try await client.launches(limit: HostJournal.launches), pending: try await client.tasks())
        }
        if !learned.rows.isEmpty, !json { try CommandContext.current.write(learned.text + "\n") }
        if learned.hasWork { return learned }
        throw CommandFailure(
            .refused,
            learned.rows.isEmpty
                ? "the host has no recorded launch that has ended"
                : "the history of the host has no work that a replay repeats",
            remedy: "name the plugins with --plugins, or generate them with --count"
        )
    }

    private func schedulingConfiguration() throws -> SchedulingConfiguration {
        guard let config else { return SchedulingConfiguration() }
        let reading = try HostFlags.parse(["--config", config]).read()
        if reading.problems.isEmpty { return reading.configuration.scheduling }
        for problem in reading.problems.dropLast() { CommandContext.current.writeMessage(problem) }
        throw CommandFailure(.refused, reading.problems.last ?? "")
    }

    private static func length(_ text: String) throws -> ReplayScenario.Length {
        try WordArgument.value(text, among: ReplayScenario.Length.allCases, \.rawValue)
    }
}
