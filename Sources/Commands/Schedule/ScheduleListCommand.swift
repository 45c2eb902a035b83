// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask schedule list`: lists the schedules of all plugins by their next occurrence.
struct ScheduleListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the schedules by their next occurrence, with the last run and the last outcome.",
        discussion: """
            A schedule is blocked when every occurrence is refused: its plugin is missing, refused or disabled, or \
            the manifest does not permit the identifier or the kind. The reason and the remedy follow the table. The \
            exit status is 1 if no schedule is listed.

            Examples:
              bgtask schedule list
              bgtask schedule list --plugin com.example.feed --state blocked
            """
    )

    @OptionGroup(title: "Filters") var plugin: PluginFilterOptions

    @Option(
        help: ArgumentHelp(
            "Only schedules in this state: "
                + "\(ScheduleListReply.State.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "state"
        ),
        completion: .several(ScheduleListReply.State.allCases, \.rawValue),
        transform: { try FilterValues.words($0, among: ScheduleListReply.State.allCases, \.rawValue) }
    )
    var state: [[ScheduleListReply.State]] = []

    @OptionGroup(title: "List") var list: ListOptions
    @OptionGroup var watch: WatchOption

    @Option(help: ArgumentHelp("Maximum number of schedules.", valueName: "number"))
    var limit: Int?

    @OptionGroup var host: HostOptions

    func validate() throws { try limit.map(LimitArgument.check) }

    func run() async throws {
        let (plugins, states) = (plugin.plugins, Set(state.joined()))
        try await watch.show(with: list, from: host, limit: limit) { client in
            var list = try await client.schedules(plugin: plugins.count == 1 ? plugins.first : nil)
            if plugins.count > 1 {
                list.schedules.removeAll { !plugins.map(\.text).contains($0.plugin) }
                // The host refuses an unknown plugin.
                for plugin in plugins where !list.schedules.contains(where: { $0.plugin == plugin.text }) {
                    _ = try await client.schedulePage(ScheduleQuery(limit: 1, plugin: plugin))
                }
            }
            if !states.isEmpty { list.schedules.removeAll { !states.contains($0.state) } }
            return list
        }
    }
}
