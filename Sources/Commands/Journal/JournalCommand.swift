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
            An entry is shown if it matches one value of every given filter. The exit status is 1 if none is shown. The \
            newest entries up to --limit are selected before they are sorted or reversed.

            Examples:
              bgtask journal --limit 20 --follow
              bgtask journal --since 2h --blame plugin
              bgtask journal --launch 41 --outcome crashed
              bgtask journal --plugin com.example.feed --since yesterday --until today --grep timeout --reverse
            """
    )

    @Flag(help: "Also print new entries, until Ctrl-C.")
    var follow = false

    @Option(help: ArgumentHelp("Print at most this number of the newest entries.", valueName: "number"))
    var limit = 50

    @OptionGroup(title: "Filters") var filters: JournalFilterOptions
    @OptionGroup(title: "List") var list: ListOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        try LimitArgument.check(limit)
        if filters.selector.filterCount > JournalSelector.mostFilters {
            throw ValidationError(
                "the filters have more than \(JournalSelector.mostFilters) combinations of values; give fewer values"
            )
        }
        guard follow else { return }
        let options = [
            ("--reverse", list.reverse), ("--sort", list.sort != nil), ("--skip", list.skip > 0),
            ("--until", filters.period.until != nil),
        ]
        if let option = options.first(where: \.1)?.0 {
            throw ValidationError("\(option) needs a list that has an end; leave out \(option) or --follow")
        }
    }

    func run() async throws {
        let (list, limit, selector) = (list, limit, filters.selector)
        _ = try list.key(of: JournalReply.self)
        if follow {
            try await host.connected { client in
                try await Interruptible.run {
                    try await JournalFollower(options: list, selector: selector).follow(client, from: limit)
                }
            }
        } else {
            let count = limit + list.skip
            try list.show(try await host.connected { try await selector.entries(of: $0, limit: count) }, limit: limit)
        }
    }
}
