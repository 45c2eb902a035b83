// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The root command as completion scripts describe it: with the options that `Invocation` accepts before a command. The
/// root command itself must not have them, because the argument parser would take them from its subcommands.
struct CompletedCommand: ParsableCommand {
    static let configuration = BgtaskCommand.configuration

    @Option(name: .customShort("H"), help: ArgumentHelp("Use the bgtask of these machines.", valueName: "host,..."))
    var hosts: [String] = []

    @Flag(help: "Print the host's answer as JSON.")
    var json = false

    @OptionGroup var host: HostOptions

    /// The name of the option that requests a script.
    private static let request = "--generate-completion-script"

    /// The script for the shell that the arguments name; nil for arguments that request no script, and for a shell that
    /// is not named or not supported: the argument parser answers them.
    static func script(for arguments: [String]) -> String? {
        let words = arguments.flatMap { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        guard words.count == 2, words[0] == request, let shell = CompletionShell(rawValue: words[1]) else { return nil }
        return completionScript(for: shell)
    }
}
