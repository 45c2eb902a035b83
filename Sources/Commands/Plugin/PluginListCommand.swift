// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// `bgtask plugin list`: lists the installed plugins and the refused manifests.
struct PluginListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the installed plugins and the refused manifests.",
        discussion: """
            A plugin is listed if it matches one value of every given filter; refused manifests are listed without a \
            filter. The exit status is 1 if nothing is listed.

            Examples:
              bgtask plugin list
              bgtask plugin list --state failing,paused -o name
            """
    )

    @OptionGroup(title: "Filters") var filters: PluginSelectorOptions
    @OptionGroup(title: "List") var list: ListOptions
    @OptionGroup var watch: WatchOption

    @Option(help: ArgumentHelp("Maximum number of plugins.", valueName: "number"))
    var limit: Int?

    @OptionGroup var host: HostOptions

    func validate() throws { try limit.map(LimitArgument.check) }

    func run() async throws {
        let selector = filters.selector
        try await watch.show(with: list, from: host, limit: limit) { try selector.selected(of: try await $0.plugins()) }
    }
}

/// The options that select plugins.
struct PluginSelectorOptions: ParsableArguments {
    @OptionGroup var plugin: PluginFilterOptions

    @Option(
        help: ArgumentHelp(
            "Only plugins in this state: \(PluginListReply.State.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "state"
        ),
        completion: .several(PluginListReply.State.allCases, \.rawValue),
        transform: { try FilterValues.words($0, among: PluginListReply.State.allCases, \.rawValue) }
    )
    private var state: [[PluginListReply.State]] = []

    @Option(
        help: ArgumentHelp(
            "Only plugins with this role: \(PluginRole.allCases.map(\.name).joined(separator: ", ")).",
            valueName: "role"
        ),
        completion: .several(PluginRole.allCases, \.name),
        transform: { try FilterValues.words($0, among: PluginRole.allCases, \.name) }
    )
    private var role: [[PluginRole]] = []

    var selector: PluginSelector {
        PluginSelector(
            plugins: Set(plugin.plugins.map(\.text)),
            states: Set(state.joined()),
            roles: Set(role.joined().map(\.name))
        )
    }
}

/// A selection of plugins. Each empty set selects everything.
struct PluginSelector: Hashable {
    var plugins: Set<String> = []
    var states: Set<PluginListReply.State> = []
    var roles: Set<String> = []

    /// The selected plugins of a list. Throws the refusal of the host for a plugin that is not installed.
    func selected(of list: PluginListReply) throws -> PluginListReply {
        if self == PluginSelector() { return list }
        if !list.isPartial { for plugin in plugins.sorted() { try requireInstalled(plugin, in: list) } }
        var list = list
        list.refused = []
        list.plugins.removeAll { !selects($0) }
        return list
    }

    private func requireInstalled(_ plugin: String, in list: PluginListReply) throws {
        if list.plugins.contains(where: { $0.identifier == plugin }) { return }
        if let refused = list.refused.first(where: { $0.identifier == plugin }) {
            throw CommandFailure(
                .refused,
                "plugin \(plugin) is refused, so it is not installed",
                problems: refused.problems.filter { $0.severity == .error }.map { $0.line(in: refused.file) }
            )
        }
        let refusal = RouteError.noSuchPlugin(
            plugin,
            nearest: NearestWord.to(plugin, among: list.plugins.map(\.identifier))
        )
        throw ControlError.refused(status: refusal.status, refusal.reply)
    }

    private func selects(_ plugin: PluginListReply.Summary) -> Bool {
        (plugins.isEmpty || plugins.contains(plugin.identifier)) && (states.isEmpty || states.contains(plugin.state))
            && (roles.isEmpty || roles.contains(plugin.role))
    }
}
