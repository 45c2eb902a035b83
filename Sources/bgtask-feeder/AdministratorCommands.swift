// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Fleet
import FleetDatabase

/// `bgtask-feeder init`: creates or migrates the schema.
struct InitFleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create the schema of a fleet in the database, or migrate it.",
        discussion: """
            Needs a role that may create schemas and roles. Items and running feeders stay. Afterwards grant \
            bgtask_fleet_host to the login roles of hosts, bgtask_fleet_submitter to those of submitters, and \
            bgtask_fleet_viewer to those of viewers.
            """
    )

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let versions = try await database.connection.initialize()
        print(
            versions.before == versions.now
                ? "the schema has version \(versions.now); its functions are replaced"
                : "the schema was migrated from version \(versions.before) to \(versions.now)"
        )
    }
}

/// `bgtask-feeder enroll`: makes a host known to the fleet.
struct EnrollHost: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll",
        abstract: "Enroll a host, or change its role and groups.",
        discussion: "Needs the role that ran init. Only the given login role may act for the host."
    )

    @Argument(help: "The name of the host.", transform: FleetName.parsed)
    var host: FleetName

    @Option(help: ArgumentHelp("The login role of the host's feeder.", valueName: "role"))
    var role: String

    @Option(
        help: ArgumentHelp("A group of the host; repeat it for several. Every host is in all.", valueName: "group"),
        transform: FleetName.parsed
    )
    var group: [FleetName] = []

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        try await database.connection.enroll(host.text, role: role, groups: group.map(\.text))
        print("enrolled \(host) for the role \(role)")
    }
}

/// `bgtask-feeder drain`: a host finishes its claims and claims nothing more.
struct DrainHost: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Let a host finish its claims and claim nothing more."
    )

    @Argument(help: "The name of the host.", transform: FleetName.parsed)
    var host: FleetName

    @Flag(help: "End the drain: the host claims again.")
    var end = false

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        guard try await database.connection.drain(host.text, !end) else {
            throw Refusal(
                description: "host \"\(host)\" is not enrolled; list the hosts with: bgtask-feeder hosts"
            )
        }
        print(end ? "\(host) claims again" : "\(host) finishes its claims and claims nothing more")
    }
}
