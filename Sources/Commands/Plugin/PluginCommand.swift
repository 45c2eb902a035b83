// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The parent command of `plugin list`, `plugin install` and the other commands for plugins.
struct PluginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin",
        abstract: "Show, check, pack, install, pause and remove plugins.",
        discussion: """
            Example:
              bgtask plugin list
            """,
        subcommands: [
            PluginListCommand.self, PluginShowCommand.self, PluginNewCommand.self, PluginCheckCommand.self,
            PluginInspectCommand.self, PluginCallCommand.self, PluginTryCommand.self, PluginPackCommand.self,
            PluginInstallCommand.self, PluginRemoveCommand.self, PluginPauseCommand.self, PluginResumeCommand.self,
        ]
    )
}
