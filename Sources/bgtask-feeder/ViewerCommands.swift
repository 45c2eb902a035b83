// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import FleetDatabase

/// The format of a command that shows something.
struct ViewOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var database: DatabaseOptions

    /// Prints a value as JSON, or as the lines.
    func show(_ value: some Encodable, lines: [String]) throws {
        if json {
            print(String(decoding: try WireCoding.encodeReadably(value), as: UTF8.self))
        } else {
            for line in lines { print(line) }
        }
    }
}

/// `bgtask-feeder status`: numbers of hosts and items.
struct ShowStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "status", abstract: "Show the state of the fleet.")

    @OptionGroup var view: ViewOptions

    func run() async throws {
        let status = try await view.database.connection.status()
        let outcomes = status.outcomesLastHour.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        try view.show(
            status,
            lines: [
                "hosts      \(status.alive) of \(status.hosts) with a valid lease, \(status.drained) drained",
                "items      \(status.pending) pending, \(status.due) of them due, \(status.claimed) claimed",
                "oldest     "
                    + (status.oldestDueSeconds.map { "due for \(Seconds.text($0))" } ?? "no item is due"),
                "campaigns  \(status.campaigns) open",
                "schedules  \(status.schedules)",
                "last hour  " + (outcomes.isEmpty ? "no outcomes" : outcomes.joined(separator: ", ")),
            ]
        )
    }
}

/// `bgtask-feeder hosts`: the hosts with their leases and claims.
struct ListHosts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "hosts", abstract: "List the hosts of the fleet.")

    @OptionGroup var view: ViewOptions

    func run() async throws {
        let hosts = try await view.database.connection.hosts()
        let lines = hosts.map { host in
            let contact = host.seenSeconds.map { "last contact \(Seconds.text($0)) ago" } ?? "no contact yet"
            let state = host.drained ? "drained" : host.alive ? "alive" : "unreachable"
            let groups = host.groups.isEmpty ? "" : " (\(host.groups.joined(separator: ", ")))"
            return "\(host.name)\(groups): \(state), \(contact), \(host.claims) claims, \(host.plugins) plugins"
        }
        try view.show(hosts, lines: lines.isEmpty ? ["no host is enrolled"] : lines)
    }
}

/// `bgtask-feeder why`: the causes across hosts for which work has not run.
struct ExplainWork: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explain why work of the fleet has not run."
    )

    @Argument(help: "The task identifier.")
    var identifier: String

    @Option(help: ArgumentHelp("The identifier of the plugin.", valueName: "identifier"))
    var plugin: String

    @OptionGroup var view: ViewOptions

    func run() async throws {
        let facts = try await view.database.connection.why(plugin: plugin, identifier: identifier)
        try view.show(facts, lines: FleetExplanation.lines(facts))
    }
}
