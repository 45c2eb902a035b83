// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask stats`: shows statistics of launches and tasks, by plugin and kind.
struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show success rates, delays, running times and disk use.",
        discussion: """
            A row is one plugin and one kind of task. DELAY is the time from the moment at which a task was due to the \
            start of its launch, RUN the running time of a launch, BUDGET that time in percent of the budget. P50 is \
            the median: half of the values are not greater. P95 is the 95th percentile. Interrupted tasks run again \
            and do not count as failures.

            Examples:
              bgtask stats
              bgtask stats com.example.feed --since 1d
            """
    )

    @Argument(
        help: ArgumentHelp("Only these plugins.", valueName: "plugin"),
        completion: .plugins,
        transform: IdentifierArgument.plugin
    )
    var plugins: [PluginIdentifier] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only launches that ended since a time: \(TimeArgument.forms), or a duration before now such as 2h. "
                + "The default is 7d.",
            valueName: "time"
        ),
        transform: TimeArgument.past
    )
    var since: WallTime?

    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        if plugins.count > StatsQuery.mostPlugins {
            throw ValidationError("at most \(StatsQuery.mostPlugins) plugins; name fewer, or none for all")
        }
    }

    func run() async throws {
        let now = CommandContext.current.now()
        let query = StatsQuery(plugins: plugins, since: since ?? now + (.zero - StatsQuery.standard))
        try output.show(try await host.connected { try await $0.stats(query) })
    }
}
