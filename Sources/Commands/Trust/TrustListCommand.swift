// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Signatures

/// `bgtask trust list`: lists the keys that may sign for plugins.
struct TrustListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys that may sign for plugins, and the lines that the host ignores.",
        discussion: """
            Example:
              bgtask trust list
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: SignersOptions

    func run() async throws {
        let path = try await options.path()
        let reply = TrustReply(path, SignersFile(text: try SignersOptions.text(of: path)))
        try OutputOptions(json: json).show(reply)
        if reply.entries.isEmpty { CommandContext.current.writeMessage("\(path) trusts no key") }
    }
}
