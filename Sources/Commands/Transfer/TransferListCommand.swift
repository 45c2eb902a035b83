// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask transfer list`: lists open transfers, and ended ones until their plugins have handled them.
struct TransferListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List background transfers with their progress, the newest first.",
        discussion: """
            An ended transfer is listed until its plugin has handled it. A URL is shown without user, query and \
            fragment. The newest transfers up to --limit are selected before they are sorted. The exit status is 1 if \
            no transfer is listed.

            Examples:
              bgtask transfer list
              bgtask transfer list --plugin com.example.feed --state waiting,running
            """
    )

    @OptionGroup(title: "Filters") var plugin: PluginFilterOptions

    @Option(
        help: ArgumentHelp("Only transfers of this session.", valueName: "name"),
        transform: IdentifierArgument.session
    )
    var session: TransferSession?

    @Option(
        help: ArgumentHelp(
            "Only transfers in this state: \(TransferState.allCases.map(\.name).joined(separator: ", ")).",
            valueName: "state"
        ),
        completion: .several(TransferState.allCases, \.name),
        transform: { try FilterValues.words($0, among: TransferState.allCases, \.name) }
    )
    var state: [[TransferState]] = []

    @OptionGroup(title: "List") var list: ListOptions
    @OptionGroup var watch: WatchOption

    @Option(help: ArgumentHelp("Maximum number of transfers.", valueName: "number"))
    var limit = 50

    @OptionGroup var host: HostOptions

    func validate() throws { try LimitArgument.check(limit) }

    func run() async throws {
        let (plugins, session, states, count) = (plugin.plugins, session, Set(state.joined()), limit + list.skip)
        try await watch.show(with: list, from: host, limit: limit) { client in
            var all: [TransferReply] = []
            for plugin in FilterValues.choices(plugins) {
                all += try await client.transfers(limit: count, plugin: plugin, session: session, states: states)
                    .transfers
            }
            return TransferListReply(transfers: Array(all.sorted { $0.transfer > $1.transfer }.prefix(count)))
        }
    }
}
