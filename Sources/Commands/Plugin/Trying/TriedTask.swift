// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import PluginTrial
import TaskModel

/// The task of `plugin try`: a permitted identifier with a kind, or an event.
struct TriedTask {
    let identifier: String
    let kind: TaskKind
    let event: EventType?

    /// - Parameters:
    ///   - name: a task identifier, or the name of an event.
    ///   - kind: the kind; nil for the first kind that the manifest permits for the identifier.
    init(_ name: String, kind asked: TaskKind?, of plugin: PluginEntry) throws {
        if let event = EventType.allCases.first(where: { $0.name == name }) {
            guard (event == .trigger) == (plugin.role == .extension) else {
                throw ValidationError(
                    "the event \(name) is not one of a plugin with the role \(plugin.role.name); an extension has the"
                        + " event trigger, a main plugin started, fetch and push"
                )
            }
            if event == .push, !plugin.modes.contains(.remoteNotification) {
                throw ValidationError(
                    "the event push needs the background mode remote-notification, which the manifest of"
                        + " \(plugin.identifier) does not list; add it to background-modes"
                )
            }
            (identifier, kind, self.event) = (plugin.identifier.text, .event, event)
            return
        }
        guard let identifier = TaskIdentifier(name), plugin.permitted.permits(identifier) else {
            let names = Self.names(plugin)
            if plugin.role == .extension {
                throw ValidationError(
                    "\(name.inQuotes) is not an event of the extension \(plugin.identifier), which runs no tasks;"
                        + " write \"trigger\", or try the task with the manifest of its main plugin"
                )
            }
            throw ValidationError(
                "\(name.inQuotes) is none of \(names.joined(separator: ", ")), which \(plugin.identifier) permits;"
                    + " \(NearestWord.remedy(for: name, amongListed: names)), or add it to permitted-identifiers"
            )
        }
        let kinds = Self.kinds(of: identifier, plugin)
        guard let kind = asked ?? kinds.first else {
            throw ValidationError(
                "the manifest of \(plugin.identifier) has no background mode, and no pattern permits \(name.inQuotes);"
                    + " add fetch or processing to background-modes"
            )
        }
        guard kinds.contains(kind) else {
            throw ValidationError(
                "the manifest does not permit \(name.inQuotes) as \(kind.name); the kinds of this identifier are"
                    + " \(kinds.map(\.name).joined(separator: ", ")); give one of them with --kind"
            )
        }
        (self.identifier, self.kind, event) = (identifier.text, kind, nil)
    }

    /// The kinds of requests with an identifier that a manifest permits, the default kind first. Every permitted
    /// identifier may be continued.
    static func kinds(of identifier: TaskIdentifier, _ plugin: PluginEntry) -> [TaskKind] {
        let isNamed = plugin.permitted.contains(.exact(identifier))
        var kinds: [TaskKind] = []
        if plugin.modes.contains(.processing) { kinds.append(.processing) }
        if plugin.modes.contains(.fetch) { kinds.append(.refresh) }
        if plugin.entitlements.contains(.healthResearch) { kinds.append(.healthResearch) }
        return isNamed ? kinds + [.continued] : [.continued] + kinds
    }

    /// The permitted identifiers and patterns, and one event of the plugin's role.
    private static func names(_ plugin: PluginEntry) -> [String] {
        plugin.permitted.map(\.description) + [plugin.role == .extension ? "trigger" : "started"]
    }
}
