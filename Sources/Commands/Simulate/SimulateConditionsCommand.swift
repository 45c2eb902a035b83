// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI

/// Says what the host shall take for true about the machine.
struct SimulateConditionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conditions",
        abstract: "Let power or network come and go, for the host alone.",
        discussion: """
            Running tasks that need what is lost are told so and end; waiting ones that need what is back are launched. \
            A condition stays as scripted until it is set to real, or the host ends.

            Example:
              bgtask simulate conditions --external-power false
              bgtask simulate conditions --external-power real --network real
            """
    )

    enum Word: String, ExpressibleByArgument, CaseIterable {
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

    @Option(help: "Whether the machine is on external power; real takes the script back.")
    var externalPower: Word?
    @Option(help: "Whether the machine has a network; real takes the script back.")
    var network: Word?

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        if externalPower == nil && network == nil {
            throw ValidationError("no condition is named; give --external-power or --network")
        }
    }

    func run() async throws {
        let simulation = ConditionsSimulation(externalPower: externalPower?.script, network: network?.script)
        try output.show(try await host.connected { try await $0.simulateConditions(simulation) })
    }
}
