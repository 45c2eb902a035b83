// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask task stop`: expires running tasks on the user's request, or cancels pending continued requests.
struct TaskStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop running tasks; their plugins receive the reason and have the grace period to end in order.",
        usage: """
            bgtask task stop <identifiers> ... [<options>]
            bgtask task stop <filters> [--yes | --dry-run] [<options>]
            """,
        discussion: """
            A continued request that has not begun is cancelled; use "bgtask task cancel" for other pending requests. \
            With filters, the command prints the selected tasks and asks before it stops them.

            Examples:
              bgtask task stop com.example.photoexport.export.holidays
              bgtask task stop --plugin com.example.photoexport --state running
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
            list.rows.removeAll { !Self.canBeStopped($0) }
            let nothing = "nothing to stop: no running task and no pending continued request is selected"
            let rows = try bulk.confirmed(list, to: "stop", orFail: nothing, output: output)
            tasks = rows.compactMap { TaskIdentifier($0.task) }
        }
        try await change(tasks, output, host) { try await $0.stop($1) }
    }

    /// Whether the row is a running task that is no event, or a pending continued request.
    private static func canBeStopped(_ row: TaskRow) -> Bool {
        switch row.state {
        case .running: row.kind != TaskKind.event.name
        case .pending: row.kind == TaskKind.continued.name
        case .event: false
        }
    }
}
