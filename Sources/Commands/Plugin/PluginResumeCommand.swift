// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask plugin resume`: ends the pauses of plugins.
struct PluginResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "End the pause of plugins: their pending work may start again.",
        usage: """
            bgtask plugin resume <identifiers> ... [<options>]
            bgtask plugin resume --all | <filters> [--yes | --dry-run] [<options>]
            """,
        discussion: """
            With --all or filters, the command prints the selected plugins that are paused and asks before it resumes \
            them.

            Examples:
              bgtask plugin resume com.example.feed
              bgtask plugin resume --all
            """
    )

    @OptionGroup var subjects: PluginSubjects

    func run() async throws {
        try await subjects.change(
            to: "resume",
            where: { $0.state == .paused },
            orFail: "nothing to resume: no selected plugin is paused"
        ) { try await $0.resume($1) }
    }
}
