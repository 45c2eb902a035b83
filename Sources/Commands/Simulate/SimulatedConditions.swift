// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import HostConfiguration
import TaskModel

/// Values of conditions and locks of containers that differ from the real ones.
struct SimulatedConditions: ParsableArguments {
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

    private var words: [Condition: Word] {
        let given = Condition.all.compactMap { condition in conditions[condition].map { (condition, $0) } }
        return Dictionary(uniqueKeysWithValues: given)
    }

    private var containers: [(PluginIdentifier, ConditionsSimulation.Script)] {
        locked.map { ($0, .holds(true)) } + unlocked.map { ($0, .holds(false)) } + real.map { ($0, .real) }
    }

    var isEmpty: Bool { words.isEmpty && containers.isEmpty }

    /// The options that name a condition or a container.
    static var names: [String] { (Condition.all.map(\.name) + ["locked", "unlocked", "real"]).map { "--\($0)" } }

    /// Throws when a container is named twice.
    func check() throws {
        var named: Set<PluginIdentifier> = []
        for (plugin, _) in containers where !named.insert(plugin).inserted {
            throw ValidationError("the container of \(plugin) is named twice; name it once")
        }
    }

    var simulation: ConditionsSimulation {
        ConditionsSimulation(
            words.mapValues(\.script),
            lockedContainers: Dictionary(containers) { first, _ in first }
        )
    }
}
