// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import HostConfiguration

/// `bgtask host run`: replaces this process by `bgtaskd`. The options are passed on unparsed.
struct HostRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a host in the foreground.",
        usage: "bgtask host run [<options of bgtaskd>]",
        discussion: """
            Runs the bgtaskd beside this command, or else the first bgtaskd in PATH, with all given options. "bgtaskd \
            --help" shows them.

            Example:
              bgtask host run --manifests ./manifests
            """
    )

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("Passed to bgtaskd.", visibility: .hidden))
    var options: [String] = []

    /// The options for `bgtaskd`, without the first `--`. It separates options and has no other meaning, because
    /// `bgtaskd` takes no arguments besides options.
    var passedOptions: [String] {
        var options = options
        if let separator = options.firstIndex(of: "--") { options.remove(at: separator) }
        return options
    }

    func run() throws {
        if ["--help", "-h"].contains(options.first) { throw CleanExit.helpRequest(self) }
        let search = HostProgram(environment: CommandContext.current.environment)
        guard let program = search.path(isExecutable: ProgramFile.isExecutable) else {
            throw CommandFailure(
                .refused,
                "\(HostProgram.name) is neither beside this command nor in PATH",
                remedy: "install \(HostProgram.name), or run it by its path"
            )
        }
        throw ProcessImage.replace(with: program, arguments: passedOptions)
    }
}
