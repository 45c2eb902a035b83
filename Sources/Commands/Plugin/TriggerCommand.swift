// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask trigger`: sends a trigger to an extension. No task runs unless the extension submits a request.
struct TriggerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger",
        abstract: "Trigger an extension, with an optional payload.",
        discussion: """
            The event is on disk when the command returns. Events of one extension are delivered once each, in order; \
            at most 100 wait by default. A main plugin cannot be triggered: submit a request for one of its tasks.

            Examples:
              bgtask trigger com.example.feed.keyboard --payload typed.txt
              echo 'what was typed' | bgtask trigger com.example.feed.keyboard --payload -
            """
    )

    @Argument(help: "The extension's identifier.", completion: .plugins, transform: IdentifierArgument.plugin)
    var identifier: PluginIdentifier

    @Option(help: PayloadFile.help("extension"))
    var payload: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func run() async throws {
        let trigger = PluginTrigger(payload: try payload.map(PayloadFile.bytes) ?? [])
        try output.show(try await host.connected { try await $0.trigger(identifier, trigger) })
    }
}
