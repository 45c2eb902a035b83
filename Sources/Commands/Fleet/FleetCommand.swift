// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The parent of the commands that administer a fleet. Each runs the command of `bgtask-feeder` with the same name.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Submit and examine work of a fleet of hosts, and administer the fleet.",
        discussion: """
            These commands run bgtask-feeder, which has the access to the database of the fleet; bgtask has none. The \
            option --database or the environment of libpq, such as PGSERVICE, chooses the database.

            Example:
              bgtask fleet status
            """,
        subcommands: [
            FleetInitCommand.self, FleetEnrollCommand.self, FleetStatusCommand.self, FleetHostsCommand.self,
            FleetSubmitCommand.self, FleetCancelCommand.self, FleetScheduleCommand.self, FleetWhyCommand.self,
            FleetDrainCommand.self,
        ]
    )
}

struct FleetInitCommand: FleetVerb {
    static let configuration = verb(
        "init",
        "Create the schema of a fleet in the database, or migrate it.",
        example: "init --database \"host=db.example dbname=fleet user=admin\""
    )

    @Argument(parsing: .captureForPassthrough, help: PassedArguments.help) var arguments: [String] = []
}

struct FleetEnrollCommand: FleetVerb {
    static let configuration = verb(
        "enroll",
        "Enroll a host, or change its role and groups.",
        example: "enroll web-1 --role web_1 --group web"
    )

    @Argument(parsing: .captureForPassthrough, help: PassedArguments.help) var arguments: [String] = []
}

struct FleetStatusCommand: FleetVerb {
    static let configuration = verb("status", "Show the state of the fleet.", example: "status --json")

    @Argument(parsing: .captureForPassthrough, help: PassedArguments.help) var arguments: [String] = []
}

struct FleetHostsCommand: FleetVerb {
    static let configuration = verb("hosts", "List the hosts of the fleet.", example: "hosts")

    @Argument(parsing: .captureForPassthrough, help: PassedArguments.help) var arguments: [String] = []
}

struct FleetSubmitCommand: FleetVerb {
    static let configuration = verb(
        "submit",
        "Submit work to one host, to any host of a group, or to each of them.",
        example: "submit com.example.p.clean --plugin com.example.p --target any:web"
    )

    @Argument(parsing: .captureForPassthrough, help: PassedArguments.help) var arguments: [String] = []
}

struct FleetCancelCommand: FleetVerb {
    static let configuration = verb(
        "cancel",
        "Cancel work of the fleet.",
        example: "cancel com.example.p.clean --plugin com.example.p --target any:web"
    )

    @Argument(parsing: .captureForPassthrough, help: PassedArguments.help) var arguments: [String] = []
}

struct FleetScheduleCommand: FleetVerb {
    static let configuration = verb(
        "schedule",
        "Add, replace or remove periodic work of the fleet.",
        example: "schedule nightly com.example.p.clean --plugin com.example.p --target any:web --every 1d"
    )

    @Argument(parsing: .captureForPassthrough, help: PassedArguments.help) var arguments: [String] = []
}

struct FleetWhyCommand: FleetVerb {
    static let configuration = verb(
        "why",
        "Explain why work of the fleet has not run.",
        example: "why com.example.p.clean --plugin com.example.p"
    )

    @Argument(parsing: .captureForPassthrough, help: PassedArguments.help) var arguments: [String] = []
}

struct FleetDrainCommand: FleetVerb {
    static let configuration = verb(
        "drain",
        "Let a host finish its claims and claim nothing more.",
        example: "drain web-1"
    )

    @Argument(parsing: .captureForPassthrough, help: PassedArguments.help) var arguments: [String] = []
}
