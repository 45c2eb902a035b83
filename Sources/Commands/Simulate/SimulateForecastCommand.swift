// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel
import TerminalText

/// `bgtask simulate forecast`: prints the launches that the host will make, and the work that will wait.
struct SimulateForecastCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forecast",
        abstract: "Print the launches that the host will make, under present or other conditions and policies.",
        discussion: """
            Nothing happens on the host: its scheduler decides over a copy of its state. The output names the \
            assumptions.

            Examples:
              bgtask simulate forecast
              bgtask simulate forecast --external-power true --until +8h
              bgtask simulate forecast --off idle --plugin com.example.feed
            """
    )

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "End of the forecast: \(TimeArgument.forms), or a delay such as +2h; by default +24h, at most +8d.",
            valueName: "when"
        )
    )
    var until: String?

    @Option(
        help: ArgumentHelp("Only the launches and the waiting work of this plugin.", valueName: "plugin"),
        completion: .plugins,
        transform: IdentifierArgument.plugin
    )
    var plugin: PluginIdentifier?

    @Option(help: ArgumentHelp("Maximum number of launches, and of waiting items.", valueName: "number"))
    var limit: Int?

    @OptionGroup(title: "Conditions") var simulated: SimulatedConditions
    @OptionGroup(title: "Policies") var policies: ForecastPolicyOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        try simulated.check()
        _ = try policies.settings()
        _ = try end()
        if let limit, !PageLimit.range.contains(limit) {
            let (least, most) = (PageLimit.range.lowerBound, PageLimit.range.upperBound)
            throw ValidationError(
                "--limit \(limit) is not between \(least) and \(most); write a whole number in that range"
            )
        }
    }

    func run() async throws {
        let order = ForecastOrder(
            until: try end(),
            plugin: plugin,
            limit: limit,
            conditions: simulated.isEmpty ? nil : simulated.simulation,
            policies: try policies.settings()
        )
        try output.show(try await host.connected { try await $0.forecast(order) })
    }

    private func end() throws -> WallTime? { try until.map { try TimeArgument.future($0) } }
}
