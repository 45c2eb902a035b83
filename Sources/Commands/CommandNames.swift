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

    /// The number of words at the beginning of the arguments that name a command, such as 2 for `task list --json`; nil
    /// when they name only a part of a command, as after a typing error.
    static func count(in arguments: [String]) -> Int? {
        var (command, count): (any ParsableCommand.Type, Int) = (BgtaskCommand.self, 0)
        while !command.configuration.subcommands.isEmpty {
            guard count < arguments.count,
                let next = command.configuration.subcommands.first(where: { name(of: $0) == arguments[count] })
            else { return nil }
            (command, count) = (next, count + 1)
        }
        return count
    }

    private static func name(of command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }
}
