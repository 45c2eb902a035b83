// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import HostConfiguration
import HostDoctor

/// `bgtask host check`: checks the configuration, directories and ledger that a host reads at its start. It changes
/// nothing and needs no running host.
struct HostCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Name what is wrong with a host's configuration, directories and ledger, and what to do about it.",
        discussion: """
            For a host that does not start, or before one is started: it takes the options of bgtaskd and reads what \
            bgtaskd would read. While a host runs, its ledger is left alone. Run it as the host's own user.

            Example:
              bgtask host check --system

            Exit codes: 0 nothing is wrong, 1 there are problems, 2 misuse.
            """
    )

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostFlags

    func run() throws {
        let surroundings = Surroundings.current
        let check = HostCheck(
            host.read(),
            environment: surroundings.environment,
            socketFacts: surroundings.socketFacts
        )
        let reply = check.reply
        try output.show(reply)
        if reply.problems == 0 { return }
        let count = reply.problems == 1 ? "1 problem was" : "\(reply.problems) problems were"
        throw CommandFailure(.refused, "\(count) found")
    }
}
