// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import PushGateway

/// `bgtask push key list`: lists the keys and webhooks of the gateway.
struct PushKeyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys and webhooks of the push gateway.",
        discussion: """
            Example:
              bgtask push key list
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: PushKeyOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        let directory = options.directory(host)
        let reply = PushKeyReply(directory, try PushKeyOptions.read(directory))
        try OutputOptions(json: json).show(reply)
        if reply.isEmpty { CommandContext.current.writeMessage("\(directory.path) has no key and no webhook") }
    }
}
