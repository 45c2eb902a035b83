// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// The option `--plugin` of lists, with one or several plugins.
struct PluginFilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Only this plugin; several between commas, or repeated.", valueName: "identifier"),
        completion: .severalPlugins,
        transform: { try FilterValues.list($0, IdentifierArgument.plugin) }
    )
    private var plugin: [[PluginIdentifier]] = []

    /// The plugins, each once; empty for every plugin.
    var plugins: [PluginIdentifier] { FilterValues.distinct(plugin) }
}

/// The option `--identifier` of lists, with one or several tasks.
struct TaskIdentifierFilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Only the task with this identifier.", valueName: "identifier"),
        completion: .severalTasks,
        transform: { try FilterValues.list($0, IdentifierArgument.task) }
    )
    private var identifier: [[TaskIdentifier]] = []

    /// The identifiers; empty for every task.
    var identifiers: Set<String> { Set(identifier.joined().map(\.text)) }
}

/// The values of filters that may be repeated and may have several values between commas.
enum FilterValues {
    static func list<Value>(_ text: String, _ read: (String) throws -> Value) throws -> [Value] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { try read(String($0)) }
    }

    static func words<Value>(_ text: String, among values: [Value], _ word: (Value) -> String) throws -> [Value] {
        try list(text) { try WordArgument.value($0, among: values, word) }
    }

    /// All values, each once, in the order in which they were given.
    static func distinct<Value: Hashable>(_ lists: [[Value]]) -> [Value] {
        var seen: Set<Value> = []
        return lists.joined().filter { seen.insert($0).inserted }
    }

    /// The values, as filters of one call each. Without values a single nil, which restricts nothing.
    static func choices<Value>(_ values: [Value]) -> [Value?] { values.isEmpty ? [nil] : values }
}

extension ControlClient {
    /// Throws the refusal of the host for a task that no plugin permits and of which nothing is recorded. A list
    /// without rows would look like that of a known task without work.
    func requireKnown(_ tasks: Set<String>) async throws {
        for task in tasks.sorted() {
            _ = try await journalPage(JournalQuery(limit: 1, filter: JournalFilter(label: task)))
        }
    }
}
