// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import HostConfiguration
import HostDoctor

/// `bgtask host check`: checks the configuration, directories and ledger that a host reads at its start. It changes
/// nothing and needs no running host.
struct HostCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a host's configuration, directories and ledger, and show the remedies.",
        discussion: """
            Use it when a host does not start, or before the first start of a host. The command takes the options of \
            bgtaskd and reads the same files. It does not open the ledger of a running host. Run it as the host's own \
            user.

            Example:
              bgtask host check --system

            Exit codes: 0 no problem, 1 problems, 2 misuse.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var host: HostFlags

    func run() throws {
        let context = CommandContext.current
        let check = HostCheck(
            host.read(),
            environment: context.environment,
            socketFacts: context.socketFacts
        )
        let reply = check.reply
        try OutputOptions(json: json).show(reply)
        if reply.problems == 0 { return }
        let count = reply.problems == 1 ? "1 problem was" : "\(reply.problems) problems were"
        throw CommandFailure(.refused, "\(count) found")
    }
}
