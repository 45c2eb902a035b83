// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The parent command of `simulate expiration`, `simulate conditions` and `simulate forecast`.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Simulate conditions, expiration and the next launches.",
        discussion: """
            Example:
              bgtask simulate conditions --external-power false
            """,
        subcommands: [
            SimulateExpirationCommand.self, SimulateConditionsCommand.self, SimulateForecastCommand.self,
        ]
    )
}
