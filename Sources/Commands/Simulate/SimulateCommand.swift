// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The parent command of `simulate expiration` and `simulate conditions`.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Simulate conditions and expiration.",
        discussion: """
            Example:
              bgtask simulate conditions --external-power false
            """,
        subcommands: [
            SimulateExpirationCommand.self, SimulateConditionsCommand.self,
        ]
    )
}
