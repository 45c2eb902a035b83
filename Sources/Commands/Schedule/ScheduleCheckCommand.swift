// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import HostConfiguration
import Scheduling
import TaskModel
import TerminalText

/// `bgtask schedule check`: prints the next occurrences of a time of day. It needs no host and no configuration.
struct ScheduleCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Print the next occurrences of a schedule's time of day, and the changes of clocks that move them.",
        discussion: """
            The time is a value of the key "at" of a schedule: HH:MM, with or without weekdays or days of the month \
            before it. The time zone is that of the machine, unless --zone names another. The command needs no host.

            Examples:
              bgtask schedule check 'mon-fri 02:30'
              bgtask schedule check '1,15 04:00' --zone Europe/Berlin --count 24

            Exit codes: 0 valid, 1 no occurrence, 2 misuse, such as a text that is no time of day or an unknown zone.
            """
    )

    @Argument(help: "Time of day, such as 'mon-fri 02:30'.")
    var time: String

    @Option(help: ArgumentHelp("Time zone, such as Europe/Berlin.", valueName: "name"), completion: .zones)
    var zone: String?

    @Option(help: ArgumentHelp("Number of occurrences.", valueName: "number"))
    var count = 5

    @Option(
        help: ArgumentHelp(
            "Occurrences after this time: \(TimeArgument.forms), or a delay such as +30d.",
            valueName: "time"
        )
    )
    var after: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if (1...1_000).contains(count) { return }
        throw ValidationError("--count \(count) is not between 1 and 1000; write a whole number in that range")
    }

    func run() throws {
        let context = CommandContext.current
        let start = try after.map { try TimeArgument.future($0) } ?? context.reader.now
        let zone = self.zone.map(ScheduleZone.named) ?? .machine
        guard let rule = CalendarRule(time, zone: zone) else {
            throw CommandFailure(
                .misuse,
                "\(time.inQuotes) is \(CalendarRule.textRule)",
                remedy: remedy(for: time)
            )
        }
        let zones: TimeZoneTable
        do throws(TimeZoneError) {
            let database = TimeZoneDatabase(variable: context.environment["TZ"])
            zones = TimeZoneTable([zone: try database.entry(of: zone)])
        } catch {
            throw CommandFailure(self.zone == nil ? .refused : .misuse, "the time zone \(error)")
        }
        let reply = ScheduleCheckReply(rule, after: start, count: count, in: zones)
        if json || !reply.occurrences.isEmpty { try OutputOptions(json: json).show(reply) }
        if reply.occurrences.isEmpty {
            let beginning = Timestamp(start).localText(for: context.reader)
            throw NothingFound(message: "\(reply.rhythm) has no occurrence after \(beginning)")
        }
    }

    /// The remedy for a text that is no time of day. An interval is valid under another key.
    private func remedy(for text: String) -> String {
        let interval = text.hasPrefix("every ") ? String(text.dropFirst(6)) : text
        guard DurationText.duration(interval[...]) != nil else { return CalendarRule.textRemedy }
        return "write every: \(interval) in the schedule, which needs no check, or \(CalendarRule.textRemedy)"
    }
}
