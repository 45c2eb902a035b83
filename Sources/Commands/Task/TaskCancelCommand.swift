// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask task cancel`: cancels pending requests, by identifier or by filters. Running tasks continue.
struct TaskCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel pending requests; running tasks continue.",
        usage: """
            bgtask task cancel <identifiers> ... [<options>]
            bgtask task cancel <filters> [--yes | --dry-run] [<options>]
            """,
        discussion: """
            With filters, the command prints the selected requests and asks before it cancels them.

            Examples:
              bgtask task cancel com.example.feed.refresh
              bgtask task cancel --plugin com.example.feed --kind refresh
            """
    )

    @Argument(help: "Identifiers of tasks.", completion: .tasks, transform: IdentifierArgument.task)
    var identifiers: [TaskIdentifier] = []

    @OptionGroup(title: "Filters") var filters: TaskFilterOptions
    @OptionGroup(title: "Filters") var bulk: BulkOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        try bulk.check(names: !identifiers.isEmpty, selection: !filters.selector.isEmpty, thing: "task")
    }

    func run() async throws {
        var tasks = identifiers
        if tasks.isEmpty {
            let selector = filters.selector
            var list = try await host.connected { try await selector.tasks(of: $0) }
            list.rows.removeAll { $0.state != .pending }
            let nothing = "nothing to cancel: no pending request is selected"
            let rows = try bulk.confirmed(list, to: "cancel", orFail: nothing, output: output)
            tasks = rows.compactMap { TaskIdentifier($0.task) }
        }
        try await change(tasks, output, host) { try await $0.cancel($1) }
    }
}

extension AsyncParsableCommand {
    /// Changes the tasks one after the other.
    func change<Answer: Presentable>(
        _ tasks: [TaskIdentifier],
        _ output: OutputOptions,
        _ host: HostOptions,
        _ change: (ControlClient, TaskIdentifier) async throws -> Answer
    ) async throws {
        if tasks.isEmpty { return }
        try await host.connected { client in
            try await output.show(tasks, \.text) { try await change(client, $0) }
        }
    }
}
