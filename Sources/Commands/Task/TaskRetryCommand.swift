// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient

/// `bgtask task retry`: submits the last request of tasks again that ended without success.
struct TaskRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Submit the last request of a task again, after it failed, expired or was abandoned.",
        usage: """
            bgtask task retry <subjects> ... [<options>]
            bgtask task retry <filters> [--yes | --dry-run] [<options>]
            """,
        discussion: """
            The new request has the kind, the requirements and the payload of the last one. It is refused while a \
            request of the task is pending or the task runs, and after a success.

            With filters, the command prints the tasks whose last run ended without success, and asks before it \
            submits them again. It searches the newest \(RetrySelector.mostLaunches) launches; --since and \
            --until compare the start of a launch.

            Examples:
              bgtask task retry com.example.feed.refresh
              bgtask task retry 12 14
              bgtask task retry --plugin com.example.feed --outcome failed --since 1d
            """
    )

    @Argument(
        help: "Identifiers of tasks, or numbers of submissions.",
        completion: .tasks,
        transform: TaskRetryCommand.subject
    )
    var subjects: [String] = []

    @OptionGroup(title: "Filters") var filters: RetryFilterOptions
    @OptionGroup(title: "Filters") var bulk: BulkOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        try bulk.check(names: !subjects.isEmpty, selection: !filters.selector.isEmpty, thing: "task")
    }

    func run() async throws {
        var subjects = subjects
        if subjects.isEmpty {
            let selector = filters.selector
            let list = try await host.connected { try await selector.tasks(of: $0) }
            let rows = try bulk.confirmed(list, to: "retry", orFail: RetryList.nothingFound, output: output)
            subjects = rows.map(\.task)
        }
        if subjects.isEmpty { return }
        try await host.connected { client in
            try await output.show(subjects, { $0 }) { try await client.retry($0) }
        }
    }

    private static func subject(_ text: String) throws -> String {
        do throws(RouteError) {
            _ = try RetrySubject(validating: text)
            return text
        } catch {
            let remedy = error.reply.error.remedy.map { "; \($0)" } ?? ""
            throw ValidationError("\(error.reply.error.message)\(remedy)")
        }
    }
}
