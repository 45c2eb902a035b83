// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel
import TerminalText

/// `bgtask plugin pause`: lets the pending work of plugins wait until they are resumed.
struct PluginPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Let the work of plugins wait: nothing of them starts until they are resumed.",
        usage: """
            bgtask plugin pause <identifiers> ... [--until <when> | --for <duration>] [<options>]
            bgtask plugin pause --all | <filters> [--until <when> | --for <duration>] [--yes | --dry-run] [<options>]
            """,
        discussion: """
            Requests are still accepted and wait, also those of "bgtask run". Launches that run continue; stop them
            with "bgtask launch stop". A pause survives restarts of the host and upgrades of the plugin.

            With --all or filters, the command prints the selected plugins and asks before it pauses them.

            Examples:
              bgtask plugin pause com.example.feed --for 2h
              bgtask plugin pause --state failing --until tomorrow
            """
    )

    @Argument(help: "The plugins' identifiers.", completion: .plugins, transform: IdentifierArgument.plugin)
    var identifiers: [PluginIdentifier] = []

    // Unconditional, so that a value that begins with a dash is reported as an invalid time and not as an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Resume the plugins at this time: \(TimeArgument.forms), or a delay such as +2h.",
            valueName: "when"
        )
    )
    var until: String?

    @Option(
        name: .customLong("for"),
        parsing: .unconditional,
        help: ArgumentHelp("Resume the plugins after this time (\(DurationText.units)).", valueName: "duration")
    )
    var duration: String?

    @Flag(help: "Pause every plugin that is not paused.")
    var all = false

    @OptionGroup(title: "Filters") var filters: PluginSelectorOptions
    @OptionGroup(title: "Filters") var bulk: BulkOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        let hasSelection = all || filters.selector != PluginSelector()
        try bulk.check(names: !identifiers.isEmpty, selection: hasSelection, thing: "plugin")
        if until != nil, duration != nil {
            throw ValidationError("--until and --for both state the end of the pause; give one of them")
        }
        _ = try end()
    }

    func run() async throws {
        let order = PluginPauseOrder(until: try end())
        if !identifiers.isEmpty {
            return try await host.connected { client in
                for plugin in identifiers { try output.show(try await client.pause(plugin, order)) }
            }
        }
        let plugins = try await selectedPlugins(filters.selector, to: "pause", bulk, output, host) {
            $0.state != .paused
        }
        if plugins.isEmpty { return }
        try await host.connected { client in
            try await output.show(plugins.map(\.text)) { name in
                guard let plugin = PluginIdentifier(name) else { throw CancellationError() }
                return try await client.pause(plugin, order)
            }
        }
    }

    private func end() throws -> WallTime? {
        let reader = CommandContext.current.reader
        if let until { return try TimeArgument.future(until) }
        guard let duration else { return nil }
        if let time = DurationText.duration(duration[...]), time > .zero { return reader.now + time }
        let remedy = DurationText.correction(of: duration[...]).map { "write \($0)" } ?? "write it like 30min or 2h"
        throw ValidationError("--for \"\(duration)\" is not a duration above zero; \(remedy)")
    }
}

extension AsyncParsableCommand {
    /// The selected plugins that a change concerns, after the confirmation.
    func selectedPlugins(
        _ selector: PluginSelector,
        to verb: String,
        _ bulk: BulkOptions,
        _ output: OutputOptions,
        _ host: HostOptions,
        where isConcerned: (PluginListReply.Summary) -> Bool
    ) async throws -> [PluginIdentifier] {
        var list = selector.selected(of: try await host.connected { try await $0.plugins() })
        list.refused = []
        list.plugins.removeAll { !isConcerned($0) }
        return try bulk.confirmed(list, to: verb, output: output).compactMap { PluginIdentifier($0.identifier) }
    }
}
