// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask launch list`: lists the selected launches, newest first.
struct LaunchListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List launches, the newest first.",
        discussion: """
            A launch is listed if it matches one value of every given filter. The exit status is 1 if none does. The \
            newest launches up to --limit are selected before they are sorted. --since and --until compare the start of \
            a launch.

            Examples:
              bgtask launch list --plugin com.example.feed --limit 10
              bgtask launch list --outcome crashed,exited --since yesterday --sort used --reverse
            """
    )

    @OptionGroup(title: "Filters") var filters: LaunchFilterOptions
    @OptionGroup(title: "List") var list: ListOptions
    @OptionGroup var watch: WatchOption

    @Option(help: ArgumentHelp("Maximum number of launches.", valueName: "number"))
    var limit = 50

    @OptionGroup var host: HostOptions

    func validate() throws { try LimitArgument.check(limit) }

    func run() async throws {
        let (selector, count) = (filters.selector, limit + list.skip)
        try await watch.show(with: list, from: host, limit: limit) { try await selector.launches(of: $0, limit: count) }
    }
}
