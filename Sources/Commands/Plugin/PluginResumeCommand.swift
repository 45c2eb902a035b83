// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask plugin resume`: ends the pauses of plugins.
struct PluginResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "End the pause of plugins: their pending work may start again.",
        usage: """
            bgtask plugin resume <identifiers> ... [<options>]
            bgtask plugin resume --all | <filters> [--yes | --dry-run] [<options>]
            """,
        discussion: """
            With --all or filters, the command prints the selected plugins that are paused and asks before it resumes \
            them.

            Examples:
              bgtask plugin resume com.example.feed
              bgtask plugin resume --all
            """
    )

    @Argument(help: "The plugins' identifiers.", completion: .plugins, transform: IdentifierArgument.plugin)
    var identifiers: [PluginIdentifier] = []

    @Flag(help: "Resume every paused plugin.")
    var all = false

    @OptionGroup(title: "Filters") var filters: PluginSelectorOptions
    @OptionGroup(title: "Filters") var bulk: BulkOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        let hasSelection = all || filters.selector != PluginSelector()
        try bulk.check(names: !identifiers.isEmpty, selection: hasSelection, thing: "plugin")
    }

    func run() async throws {
        if !identifiers.isEmpty {
            return try await host.connected { client in
                for plugin in identifiers { try output.show(try await client.resume(plugin)) }
            }
        }
        let plugins = try await selectedPlugins(filters.selector, to: "resume", bulk, output, host) {
            $0.state == .paused
        }
        if plugins.isEmpty { return }
        try await host.connected { client in
            try await output.show(plugins.map(\.text)) { name in
                guard let plugin = PluginIdentifier(name) else { throw CancellationError() }
                return try await client.resume(plugin)
            }
        }
    }
}
