// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Fleet
import FleetDatabase

/// `bgtask-feeder schedule`: periodic work, submitted once for each tick whatever number of hosts there is.
struct ScheduleWork: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Add, replace or remove periodic work of the fleet.",
        discussion: """
            Ticks are at multiples of the period. Missed ticks are skipped except the last one.

            Examples:
              bgtask-feeder schedule nightly com.example.p.clean --every 1d --plugin com.example.p --target any:web
              bgtask-feeder schedule nightly --remove
            """
    )

    @Argument(help: "The name of the schedule.", transform: FleetName.parsed)
    var name: FleetName

    @Argument(help: "The task identifier.")
    var identifier: String?

    @Option(help: ArgumentHelp("The period.", valueName: "duration"))
    var every: String?

    @Option(help: WorkSubject.targetHelp, transform: FleetTarget.parsed)
    var target: FleetTarget?

    @Option(help: WorkSubject.pluginHelp)
    var plugin: String?

    @OptionGroup var terms: WorkTerms

    @Flag(help: "Remove the schedule.")
    var remove = false

    @OptionGroup var database: DatabaseOptions

    func validate() throws {
        let given = [
            ("IDENTIFIER", identifier != nil), ("--every", every != nil), ("--target", target != nil),
            ("--plugin", plugin != nil),
        ]
        if remove {
            guard let (option, _) = given.first(where: { $0.1 }) else { return }
            throw ValidationError("\(option) has no effect with --remove; leave it out")
        }
        let missing = given.filter { !$0.1 }.map(\.0)
        guard missing.isEmpty else {
            throw ValidationError(
                "the schedule \(name) lacks \(missing.joined(separator: ", ")); add it, or remove the schedule with"
                    + " --remove"
            )
        }
    }

    func run() async throws {
        guard let identifier, let every, let target, let plugin else { return try await removeSchedule() }
        let seconds = try WorkTerms.seconds(every, of: "--every")
        let work = try terms.work(identifier, of: plugin, for: target)
        try await database.connection.schedule(work, name: name.text, everySeconds: seconds)
        print("schedule \(name) runs every \(every)")
    }

    private func removeSchedule() async throws {
        let isRemoved = try await database.connection.removeSchedule(name.text)
        print(isRemoved ? "schedule \(name) removed" : "there is no schedule \(name)")
    }
}
