// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// The arguments of commands that change plugins, by identifier or by filters.
struct PluginSubjects: ParsableArguments {
    @Argument(help: "The plugins' identifiers.", completion: .plugins, transform: IdentifierArgument.plugin)
    var identifiers: [PluginIdentifier] = []

    @Flag(help: "Every plugin that the command can change.")
    var all = false

    @OptionGroup(title: "Filters") var filters: PluginSelectorOptions
    @OptionGroup(title: "Filters") var bulk: BulkOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var host: HostOptions

    func validate() throws {
        let hasSelection = all || filters.selector != PluginSelector()
        try bulk.check(names: !identifiers.isEmpty, selection: hasSelection, thing: "plugin")
    }

    /// Changes the named plugins or, without names, the selected ones after a confirmation.
    ///
    /// - Parameters:
    ///   - verb: the change, such as "pause", for the question.
    ///   - isConcerned: whether a selected plugin can be changed. A named plugin is changed in any case.
    ///   - nothing: the message when no selected plugin can be changed.
    func change<Answer: Presentable>(
        to verb: String,
        where isConcerned: (PluginListReply.Summary) -> Bool,
        orFail nothing: String,
        _ change: (ControlClient, PluginIdentifier) async throws -> Answer
    ) async throws {
        var plugins = identifiers
        if plugins.isEmpty {
            var list = try filters.selector.selected(of: try await host.connected { try await $0.plugins() })
            list.refused = []
            list.plugins.removeAll { !isConcerned($0) }
            let rows = try bulk.confirmed(list, to: verb, orFail: nothing, output: output)
            plugins = rows.compactMap { PluginIdentifier($0.identifier) }
        }
        if plugins.isEmpty { return }
        try await host.connected { client in
            try await output.show(plugins, \.text) { try await change(client, $0) }
        }
    }
}
