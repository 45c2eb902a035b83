// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient

/// `bgtask task retry`: submits the last request of tasks again that ended without success.
struct TaskRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Submit the last request of a task again, after it failed, expired or was abandoned.",
        usage: "bgtask task retry <subjects> ... [<options>]",
        discussion: """
            The new request has the kind, the requirements and the payload of the last one. It is refused while a \
            request of the task is pending or the task runs, and after a success.

            Examples:
              bgtask task retry com.example.feed.refresh
              bgtask task retry 12 14
            """
    )

    @Argument(
        help: "Identifiers of tasks, or numbers of submissions.",
        completion: .tasks,
        transform: TaskRetryCommand.subject
    )
    var subjects: [String] = []

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        if subjects.isEmpty {
            throw ValidationError("no task is named; give the identifier of a task or the number of a submission")
        }
    }

    func run() async throws {
        try await host.connected { client in
            for subject in subjects { try output.show(try await client.retry(subject)) }
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
