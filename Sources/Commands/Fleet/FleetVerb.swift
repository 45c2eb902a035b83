// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// A command of `bgtask fleet`: replaces this process by the command of `bgtask-feeder` with the same name.
///
/// The arguments are passed on unparsed, so that `bgtask` links no client of the database.
protocol FleetVerb: ParsableCommand {
    /// The arguments after the name of the command.
    var arguments: [String] { get }
}

extension FleetVerb {
    /// The arguments of `bgtask-feeder`.
    var passedArguments: [String] { [Self.configuration.commandName ?? ""] + arguments }

    func run() throws {
        throw ProcessImage.replace(with: try FeederProgram().path(), arguments: passedArguments)
    }

    static func verb(_ name: String, _ abstract: String, example: String) -> CommandConfiguration {
        CommandConfiguration(
            commandName: name,
            abstract: abstract,
            usage: "bgtask fleet \(name) [<arguments of bgtask-feeder \(name)>]",
            discussion: """
                "bgtask fleet \(name) --help" shows the arguments.

                Example:
                  bgtask fleet \(example)
                """
        )
    }
}

/// The declaration of arguments that are passed on.
enum PassedArguments {
    static let help = ArgumentHelp("Passed to bgtask-feeder.", visibility: .hidden)
}
