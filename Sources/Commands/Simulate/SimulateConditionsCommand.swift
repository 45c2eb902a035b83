// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient

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

    @OptionGroup var simulated: SimulatedConditions

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        try simulated.check()
        if simulated.isEmpty {
            let names = SimulatedConditions.names.joined(separator: ", ")
            throw ValidationError("no condition is named; give one of \(names)")
        }
    }

    func run() async throws {
        try output.show(try await host.connected { try await $0.simulateConditions(simulated.simulation) })
    }
}
