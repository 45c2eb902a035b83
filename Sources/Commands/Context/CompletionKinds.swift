// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import HostConfiguration

extension CompletionKind {
    static let plugins = names { HostNames.current.plugins }
    static let tasks = names { HostNames.current.tasks }
    static let launches = names { HostNames.current.launches }
    static let transfers = names { HostNames.current.transfers }
    /// Tasks, plugins and launches, for commands that explain or show anything.
    static let anything = names { HostNames.current.tasks + HostNames.current.plugins + HostNames.current.launches }
    static let tasksAndPlugins = names { HostNames.current.tasks + HostNames.current.plugins }

    // For an option that takes several values, separated by commas.
    static let severalPlugins = several { HostNames.current.plugins }
    static let severalTasks = several { HostNames.current.tasks }
    static let severalLaunches = several { HostNames.current.launches }

    /// The keys of `--sort` of the list that the command line names.
    static let sortKeys = CompletionKind.custom { arguments, _, _ in ListSortKeys.names(in: arguments) }

    /// The time zones of this machine.
    static let zones = CompletionKind.custom { _, _, _ in
        TimeZoneDatabase(variable: CommandContext.current.environment["TZ"]).names
    }

    /// The values of an enumeration.
    static func words<Value>(_ values: [Value], _ word: (Value) -> String) -> CompletionKind { .list(values.map(word)) }

    /// The values of an enumeration, for an option that takes several, separated by commas.
    static func several<Value>(_ values: [Value], _ word: (Value) -> String) -> CompletionKind {
        let words = values.map(word)
        return several { words }
    }

    private static func names(_ names: @escaping @Sendable () -> [String]) -> CompletionKind {
        .custom { _, _, _ in names() }
    }

    private static func several(_ words: @escaping @Sendable () -> [String]) -> CompletionKind {
        .custom { arguments, index, prefix in
            // The shell bash may pass an empty prefix for a word that it completes as a whole.
            ValueList.completions(of: arguments.indices.contains(index) ? arguments[index] : prefix, among: words())
        }
    }
}

/// The completion of values that are separated by commas.
enum ValueList {
    /// The text up to its last comma, followed by each word that it does not contain.
    static func completions(of text: String, among words: [String]) -> [String] {
        let given = text.split(separator: ",", omittingEmptySubsequences: false).dropLast().map(String.init)
        let beginning = given.map { $0 + "," }.joined()
        return words.filter { !given.contains($0) }.map { beginning + $0 }
    }
}

/// The keys by which the lists can be sorted, for completions.
enum ListSortKeys {
    private static let byCommand = [
        ("task", TaskListReply.sortKeys.map(\.name)), ("launch", LaunchListReply.sortKeys.map(\.name)),
        ("plugin", PluginListReply.sortKeys.map(\.name)), ("schedule", ScheduleListReply.sortKeys.map(\.name)),
        ("transfer", TransferListReply.sortKeys.map(\.name)),
        ("journal", JournalReply.sortKeys.map(\.name)),
    ]

    static func names(in arguments: [String]) -> [String] {
        byCommand.first { arguments.contains($0.0) }?.1 ?? []
    }
}
