// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask task list`: lists running tasks, pending requests and waiting events.
struct TaskListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List running tasks and pending requests, with the first reason for waiting.",
        discussion: """
            Work is listed if it matches one value of every given filter. The exit status is 1 if none does.

            Examples:
              bgtask task list
              bgtask task list --plugin com.example.feed --kind refresh,event --sort failed --reverse
              bgtask task list --state pending --reason retry-delay -o name
            """
    )

    @OptionGroup(title: "Filters") var filters: TaskFilterOptions
    @OptionGroup(title: "List") var list: ListOptions
    @OptionGroup var watch: WatchOption

    @Option(help: ArgumentHelp("Maximum number of rows.", valueName: "number"))
    var limit: Int?

    @OptionGroup var host: HostOptions

    func validate() throws { try limit.map(LimitArgument.check) }

    func run() async throws {
        let selector = filters.selector
        try await watch.show(with: list, from: host, limit: limit) { try await selector.tasks(of: $0) }
    }
}
