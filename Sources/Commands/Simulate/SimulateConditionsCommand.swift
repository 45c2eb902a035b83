// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import HostConfiguration
import TaskModel

/// `bgtask simulate conditions`: overrides conditions of the machine and locks of containers for one host.
struct SimulateConditionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conditions",
        abstract: "Override conditions such as power, network and idleness for this host.",
        discussion: """
            Running tasks that require a lost condition are expired. Requests that wait for a regained condition may \
            run. A condition keeps its simulated value until it is set to real, or the host ends.

            Example:
              bgtask simulate conditions --external-power false
              bgtask simulate conditions --idle true --high-load false
              bgtask simulate conditions --external-power real --network real
              bgtask simulate conditions --locked com.example.studies --real com.example.notes
            """
    )

    enum Word: String, ConditionWord, CaseIterable {
        static let choices = allValueStrings.joined(separator: "|")

        case `true`
        case `false`
        case real

        var script: ConditionsSimulation.Script {
            switch self {
            case .true: .holds(true)
            case .false: .holds(false)
            case .real: .real
            }
        }
    }

    @OptionGroup var conditions: ConditionFlags<Word>

    @Option(
        help: ArgumentHelp("Simulate a locked container of this plugin; may be repeated.", valueName: "plugin"),
        completion: .plugins,
        transform: IdentifierArgument.plugin
    )
    var locked: [PluginIdentifier] = []
    @Option(
        help: ArgumentHelp(
            "Simulate a mounted and unlocked container of this plugin; may be repeated.",
            valueName: "plugin"
        ),
        completion: .plugins,
        transform: IdentifierArgument.plugin
    )
    var unlocked: [PluginIdentifier] = []
    @Option(
        help: ArgumentHelp(
            "End the simulation for the container of this plugin; may be repeated.",
            valueName: "plugin"
        ),
        completion: .plugins,
        transform: IdentifierArgument.plugin
    )
    var real: [PluginIdentifier] = []

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    private var words: [Condition: Word] {
        let given = Condition.all.compactMap { condition in conditions[condition].map { (condition, $0) } }
        return Dictionary(uniqueKeysWithValues: given)
    }

    private var containers: [(PluginIdentifier, ConditionsSimulation.Script)] {
        locked.map { ($0, .holds(true)) } + unlocked.map { ($0, .holds(false)) } + real.map { ($0, .real) }
    }

    func validate() throws {
        var named: Set<PluginIdentifier> = []
        for (plugin, _) in containers where !named.insert(plugin).inserted {
            throw ValidationError("the container of \(plugin) is named twice; name it once")
        }
        if words.isEmpty && named.isEmpty {
            let names = (Condition.all.map(\.name) + ["locked", "unlocked", "real"]).map { "--\($0)" }
            throw ValidationError("no condition is named; give one of \(names.joined(separator: ", "))")
        }
    }

    func run() async throws {
        let simulation = ConditionsSimulation(
            words.mapValues(\.script),
            lockedContainers: Dictionary(uniqueKeysWithValues: containers)
        )
        try output.show(try await host.connected { try await $0.simulateConditions(simulation) })
    }
}
