// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send background pushes to plugins, manage device tokens, and serve remote senders.",
        subcommands: [PushSendCommand.self, PushTokenCommand.self, PushServeCommand.self, PushKeyCommand.self]
    )
}
