// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient

/// `bgtask journal`: shows the newest journal entries, and with `--follow` every new entry until Ctrl-C.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Show the newest entries of the journal, the oldest of them first.",
        discussion: """
            --follow prints new entries until Ctrl-C; with --json each line is one entry.
            An entry is shown if it matches every given filter.

            Examples:
              bgtask journal --limit 20 --follow
              bgtask journal --since 2h --blame plugin
              bgtask journal --launch 41 --outcome crashed
              bgtask journal --plugin com.example.feed --since 2026-01-31T02:00:00Z
            """
    )

    @Flag(help: "Also print new entries, until Ctrl-C.")
    var follow = false

    @Option(help: ArgumentHelp("Print at most this number of the newest entries.", valueName: "number"))
    var limit = 50

    @OptionGroup(title: "Filters") var filters: JournalFilterOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws { try LimitArgument.check(limit) }

    func run() async throws {
        let (json, limit, filter) = (output.json, limit, filters.filter)
        if follow {
            try await host.connected { client in
                try await Interruptible.run {
                    try await JournalFollower(json: json, filter: filter).follow(client, from: limit)
                }
            }
        } else {
            try output.show(try await host.connected { try await $0.journal(limit: limit, filter: filter) })
        }
    }
}
