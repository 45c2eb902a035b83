// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Fleet
import FleetDatabase
import Glibc
import TaskModel

/// The root command `bgtask-feeder`: the feeder of one host, and the commands for a fleet.
@main
struct FeederCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bgtask-feeder",
        abstract: "Feed a host with work of a fleet; submit and examine work, and administer the fleet.",
        discussion: """
            The fleet's queue is a PostgreSQL database. Without --database, the environment variables, the service \
            file and the password file of libpq choose it, such as PGSERVICE or PGHOST.

            Examples:
              bgtask-feeder init --database "host=db.example dbname=fleet user=admin"
              bgtask-feeder enroll web-1 --role web_1 --group web

            Exit codes: 0 done, 1 refused, 2 misuse, 3 database unreachable.
            """,
        version: Release.version,
        subcommands: [
            RunFeeder.self, InitFleet.self, EnrollHost.self, ShowStatus.self, ListHosts.self, SubmitWork.self,
            CancelWork.self, ScheduleWork.self, ExplainWork.self, DrainHost.self,
        ]
    )

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as DatabaseFailure {
            let advice = failure.lacksSchema ? "; create the schema with: bgtask-feeder init" : ""
            StandardError.write("\(failure)\(advice)")
            Glibc.exit(failure.cause == .unreachable || failure.cause == .timeout ? 3 : 1)
        } catch let refusal as Refusal {
            StandardError.write(refusal.description)
            Glibc.exit(1)
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            StandardError.writeLine(fullMessage(for: error))
            Glibc.exit(2)
        }
    }
}

/// A call that the command refuses after it has been parsed, with its remedy.
struct Refusal: Error, CustomStringConvertible {
    let description: String
}

/// The option that chooses the database, shared by all commands.
struct DatabaseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Connection string of libpq; by default the values of the environment.",
            valueName: "connection"
        )
    )
    var database = ""

    var connection: FleetDatabase { FleetDatabase(database) }
}

// Values of the command line. Their refusals name the violated rule and the remedy.

extension FleetTarget {
    static func parsed(_ text: String) throws -> FleetTarget { try FleetTarget(text) }
}

extension FleetName {
    static func parsed(_ text: String) throws -> FleetName {
        guard let name = FleetName(text) else {
            throw ValidationError("name \"\(text)\" \(FleetName.flaw(in: text) ?? "is invalid")")
        }
        return name
    }
}
