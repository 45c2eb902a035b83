// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient

/// `bgtask notification list`: the newest notifications of the feed.
struct NotificationListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the newest notifications.",
        discussion: """
            The feed has the notifications of alert pushes, and alarms of the host: abandoned and failed tasks, \
            refused plugins, missed occurrences of schedules, and a disk without its reserve. It keeps the newest 2,000, and \
            of the older ones the alarms.

            Examples:
              bgtask notification list --limit 10
              bgtask notification list --after 41 -o jsonl
            """
    )

    @Option(help: ArgumentHelp("Only notifications after this number, the oldest first.", valueName: "number"))
    var after: Int64?

    @Option(help: ArgumentHelp("Print at most this number of notifications.", valueName: "number"))
    var limit = 50

    @OptionGroup(title: "List") var list: ListOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        try LimitArgument.check(limit)
        if let after, after < 0 { throw ValidationError("--after \(after) is negative; write a number of the list") }
    }

    func run() async throws {
        _ = try list.key(of: NotificationReply.self)
        let query = NotificationQuery(after: after, limit: limit)
        try list.show(try await host.connected { try await $0.notificationPage(query) })
    }
}
