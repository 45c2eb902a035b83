// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import TaskModel

/// Detects a mistyped command name. For such a name the argument parser reports the first option after it as unknown,
/// and not the name.
enum CommandNames {
    /// The message about the first word that is not a subcommand; nil when all words before the first option or
    /// argument are subcommands, and for `help`.
    static func problem(in arguments: [String]) -> String? {
        var command: any ParsableCommand.Type = BgtaskCommand.self
        var words = ["bgtask"]
        for argument in arguments {
            let subcommands = command.configuration.subcommands
            if subcommands.isEmpty || argument.hasPrefix("-") || argument == "help" { return nil }
            guard let next = subcommands.first(where: { name(of: $0) == argument }) else {
                let remedy = NearestWord.remedy(for: argument, among: subcommands.map(name))
                return "\"\(argument)\" is not a command of \(words.joined(separator: " ")); \(remedy)"
            }
            command = next
            words.append(argument)
        }
        return nil
    }

    /// The number of words at the beginning of the arguments that name a command, such as 2 for `task list --json`.
    static func count(in arguments: [String]) -> Int {
        var command: any ParsableCommand.Type = BgtaskCommand.self
        for (count, argument) in arguments.enumerated() {
            guard let next = command.configuration.subcommands.first(where: { name(of: $0) == argument }) else {
                return count
            }
            command = next
        }
        return arguments.count
    }

    private static func name(of command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }
}
