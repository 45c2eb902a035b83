// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import TaskModel

/// Identifiers of a host's plugins and tasks, and numbers of its launches and transfers, for the completion of command
/// lines in shells.
struct HostNames: Sendable {
    var plugins: [String] = []
    var tasks: [String] = []
    var launches: [String] = []
    var transfers: [String] = []

    /// The names for the present call of a completion script; empty without a host.
    @TaskLocal static var current = HostNames()

    /// Timeout for an answer of the host; the completion then prints nothing.
    private static let timeout = Duration.seconds(1)
    private static let mostLaunches = 50

    /// The options whose values are names of a host.
    private static let options: Set = ["--plugin", "--identifier", "--launch", "--locked", "--unlocked", "--real"]

    /// Whether a completion script requests names of a host. Its arguments name the command; after `--` follows the
    /// option or the position to complete.
    static func isAsked(by arguments: [String]) -> Bool {
        guard arguments.first == "---completion", let end = arguments.firstIndex(of: "--") else { return false }
        let subject = arguments.dropFirst(end + 1).first ?? ""
        return subject.hasPrefix("positional@") || options.contains(subject)
    }

    /// Returns the names of the host that the completed command line chooses; none when it does not answer in time, and
    /// none for a command line about other machines.
    static func fetch(for arguments: [String]) async -> HostNames {
        guard !arguments.contains(where: { $0.hasPrefix("-H") }), let host = host(in: arguments) else {
            return HostNames()
        }
        let names = try? await ControlClient.withConnection(to: host.choice.socket, answerTimeout: timeout) { client in
            let plugins = try await client.pluginPage(PluginQuery(limit: PageLimit.range.upperBound)).plugins
            let work = try await client.taskPage(TaskQuery(limit: PageLimit.range.upperBound))
            let launches = try await client.launchPage(LaunchQuery(limit: mostLaunches)).launches
            return HostNames(plugins: plugins, work: work, launches: launches)
        }
        return names ?? HostNames()
    }

    private init(plugins: [PluginListReply.Summary], work: TaskListReply, launches: [LaunchReply]) {
        self.plugins = plugins.map(\.identifier)
        // Patterns such as `com.example.feed.*` are no identifiers.
        let permitted = plugins.flatMap(\.permitted).filter { TaskIdentifier($0) != nil }
        let present = work.pending.map(\.identifier) + work.running.compactMap(\.identifier)
        tasks = Set(permitted + present).sorted()
        // Only open transfers can be paused, resumed and cancelled.
        let kind = TaskKind.transfer.name
        transfers =
            work.pending.filter { $0.kind == kind }.map { "\($0.submission)" }
            + work.running.filter { $0.kind == kind }.map { "\($0.submission)" }
        self.launches = launches.map { "\($0.launch)" }
    }

    init() {}

    /// The options of the completed command line that choose a host; nil for invalid ones.
    private static func host(in arguments: [String]) -> HostOptions? {
        var options: [String] = []
        for (index, argument) in arguments.enumerated() {
            switch argument {
            case "--system", "--user": options.append(argument)
            case "--socket" where index + 1 < arguments.count: options += [argument, arguments[index + 1]]
            case _ where argument.hasPrefix("--socket="): options.append(argument)
            default: break
            }
        }
        return try? HostOptions.parse(options)
    }
}
