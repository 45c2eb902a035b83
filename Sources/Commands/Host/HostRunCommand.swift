// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import HostConfiguration

/// `bgtask host run`: replaces this process by `bgtaskd`. The options are passed on unparsed.
struct HostRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a host here, until it is stopped.",
        usage: "bgtask host run [<options of bgtaskd>]",
        discussion: """
            Runs the bgtaskd beside this command, else the first one in PATH, with all that follows. "bgtaskd --help" \
            shows its options.

            Example:
              bgtask host run --manifests ./manifests
            """
    )

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("Passed to bgtaskd.", visibility: .hidden))
    var options: [String] = []

    func run() throws {
        if ["--help", "-h"].contains(options.first) { throw CleanExit.helpRequest(self) }
        let options = options.first == "--" ? Array(options.dropFirst()) : options
        let search = HostProgram(environment: Surroundings.current.environment)
        guard let program = search.path(isExecutable: ProgramFile.isExecutable) else {
            throw CommandFailure(
                .refused,
                "there is no \(HostProgram.name) beside this command or in PATH",
                remedy: "install it, or run it by its path"
            )
        }
        throw ProcessImage.replace(with: program, arguments: options)
    }
}
