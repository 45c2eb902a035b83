// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import LocatedYAML
import PluginCatalogue
import Scheduling
import TaskLedger
import TaskModel

// Refusals of names that match nothing. The nearest name comes from the catalogue, outside of the decision loop.
extension ControlRoutes {
    /// Maximum number of names that are compared with an unknown one.
    static let mostNames = 10_000
    /// Maximum number of task identifiers in a remedy.
    private static let mostNamesShown = 10

    /// The refusal of a plugin that is not installed. If the plugin is refused, the message has the cause.
    func noSuchPlugin(_ plugin: PluginIdentifier) -> RouteError {
        let refused = catalogue.contents.refused.first { $0.identifier == plugin }
        if let problem = refused?.problems.first(where: { $0.severity == .error }) {
            return RouteError(
                .noSuchPlugin,
                "plugin \(plugin) is refused, so it is not installed: \(problem)",
                remedy: "list every problem with \"bgtask plugin list\""
            )
        }
        return .noSuchPlugin(plugin.text, nearest: NearestWord.to(plugin.text, among: pluginNames))
    }

    /// The refusal of an unknown task.
    ///
    /// - Parameter isAnything: whether the call also accepts identifiers of plugins, so that the remedy may name one.
    func noSuchTask(_ identifier: TaskIdentifier, orPlugin isAnything: Bool = false) -> RouteError {
        let plugins = isAnything ? pluginNames : []
        let nearest = NearestWord.to(identifier.text, among: taskNames + plugins)
        let isPlugin = nearest.map(plugins.contains) ?? false
        return .noSuchTask(identifier.text, nearest: nearest, meaning: isPlugin ? "plugin" : "task")
    }

    /// The refusal of a submission. For an identifier that no plugin permits, the remedy names the nearest one.
    func refusal(_ refusal: SubmissionRefusal, of identifier: TaskIdentifier) -> RouteError {
        guard refusal.subReason == .identifierNotPermitted else { return RouteError(refusal) }
        let plugin = catalogue.contents.entry(namedLike: identifier)
        if let plugin {
            let names = plugin.taskNames.prefix(Self.mostNamesShown).joined(separator: ", ")
            let remedy =
                plugin.role == .extension
                ? "it is an extension, which is triggered with \"bgtask trigger \(identifier)\""
                : plugin.permitted.isEmpty
                    ? "its manifest permits no task, so nothing can be submitted for it"
                    : names.isEmpty ? "write an identifier that its manifest permits" : "write one of \(names)"
            return RouteError(refusal, remedy: "\(identifier) is a plugin, not a task; \(remedy)")
        }
        let nearest = NearestWord.to(identifier.text, among: taskNames)
        return RouteError(refusal, remedy: nearest.map { NearestWord.remedy(nearest: $0, meaning: "task") })
    }

    /// The refusal of a call about pending or running tasks: that of the scheduler, or of the first unknown task.
    func refusal(_ answer: Answer, of identifiers: [TaskIdentifier]) async throws -> RouteError {
        switch answer {
        case .notLaunching, .notRunning:
            for identifier in identifiers { try await requireKnown(identifier) }
        default: break
        }
        return unexpected(answer)
    }

    /// Throws for a filter that names an unknown plugin, launch or task. Its empty result would look like that of a
    /// known one without entries.
    func requireKnown(_ filter: JournalFilter) async throws {
        if let launch = filter.launch, try await recorded({ try $0.launch(launch) }) == nil {
            throw RouteError.noSuchLaunch(launch)
        }
        if let plugin = filter.plugin, try await !isJournaled(JournalFilter(plugin: plugin)) {
            try await requireInstalled(plugin)
        }
        if let identifier = filter.label.flatMap(TaskIdentifier.init) { try await requireKnown(identifier) }
    }

    /// Throws when no plugin permits the task, none has work with it, and the journal has no entry about it.
    ///
    /// - Parameter isAnything: whether the call also accepts identifiers of plugins, so that the remedy may name one.
    func requireKnown(_ identifier: TaskIdentifier, orPlugin isAnything: Bool = false) async throws {
        if try await isJournaled(JournalFilter(label: identifier.text)) { return }
        try await catalogue.waitUntilLoaded()
        let plugin = try await read { scheduler, now in scheduler.explain(identifier, at: now).plugin }
        if plugin == nil { throw noSuchTask(identifier, orPlugin: isAnything) }
    }

    private func isJournaled(_ filter: JournalFilter) async throws -> Bool {
        try await recorded { try !$0.journal(JournalSelection(filter: filter, newestFirst: true, limit: 1)).isEmpty }
    }

    /// The identifiers of the installed plugins that are compared with an unknown one.
    var pluginNames: [String] { catalogue.contents.entries.prefix(Self.mostNames).map(\.identifier.text) }

    private var taskNames: [String] {
        let names = catalogue.contents.entries.prefix(Self.mostNames).flatMap(\.taskNames)
        return Array(names.prefix(Self.mostNames))
    }
}

extension CatalogueContents {
    fileprivate func entry(namedLike identifier: TaskIdentifier) -> PluginEntry? {
        PluginIdentifier(identifier.text).flatMap(entry(for:))
    }
}

extension PluginEntry {
    /// The task identifiers that the manifest permits by name.
    var taskNames: [String] {
        permitted.compactMap { if case .exact(let name) = $0 { name.text } else { nil } }
    }
}
