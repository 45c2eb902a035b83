// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import TerminalText
import Testing

@testable import Commands

@Suite("bgtask schedule list prints the next runs of all schedules")
struct ScheduleListTextTests {
    @Test func `bgtask schedule list prints a row for each schedule, then each problem with its remedy`() async throws {
        let answer = String(decoding: try WireCoding.encode(Samples.scheduleList()), as: UTF8.self)
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let terminal = Terminal()
            let options = ["schedule", "list", "--plugin", "com.example.feed", "--socket", host.socket]
            #expect(await terminal.run(list: options) == .done)
            #expect(host.requests.map(\.path) == ["/v1/schedules?limit=1000&plugin=com.example.feed"])
            let lines = terminal.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
            #expect(
                lines == [
                    "NEXT IN SCHEDULE KIND RHYTHM STATE LAST RUN OUTCOME",
                    "2026-01-31 02:00:00 in 12min com.example.feed.refresh refresh every 6h idle 2min ago succeeded",
                    "- - com.example.feed.refersh processing 02:30 Europe/Berlin blocked - -",
                    "plugins.com.example.feed.schedules.com.example.feed.refersh: identifier-not-permitted: the manifest"
                        + " of the plugin does not permit com.example.feed.refersh; write"
                        + " \"com.example.feed.refresh\" if that task is meant",
                ]
            )
        }
    }

    @Test func `schedule list prints only a note while the host is loading and no schedule is known`() {
        let reader = Reader(now: Samples.now, timeZone: .gmt)
        #expect(ScheduleListReply(schedules: []).text(for: reader).isEmpty)
        #expect(ScheduleListReply(schedules: [], isPartial: true).text(for: reader) == PartialList.text)
    }
}

@Suite("bgtask schedule check prints the next occurrences of a time of day without a host")
struct ScheduleCheckTests {
    private func lines(_ arguments: String...) async -> [String] {
        let terminal = Terminal()
        #expect(await terminal.run(list: ["schedule", "check"] + arguments) == .done, "\(terminal.error)")
        return terminal.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test func `bgtask schedule check prints five occurrences in the zone`() async {
        #expect(
            await lines("mon-fri 02:30", "--zone", "UTC") == [
                "mon,tue,wed,thu,fri 02:30 UTC", "OCCURRENCE OFFSET IN NOTE",
                "mon 2026-02-02 02:30:00 +00:00 in 2d -", "tue 2026-02-03 02:30:00 +00:00 in 3d -",
                "wed 2026-02-04 02:30:00 +00:00 in 4d -", "thu 2026-02-05 02:30:00 +00:00 in 5d -",
                "fri 2026-02-06 02:30:00 +00:00 in 6d -",
            ]
        )
    }

    @Test func `bgtask schedule check names the changes of clocks that move occurrences, and the next one`() async {
        let lines = await lines(
            "02:30",
            "--zone",
            "Europe/Berlin",
            "--after",
            "2026-03-28T00:00:00Z",
            "--count",
            "3"
        )
        #expect(lines.count == 7)
        #expect(lines[2].hasPrefix("sat 2026-03-28 02:30:00 +01:00 in ") && lines[2].hasSuffix(" -"))
        #expect(lines[3].hasPrefix("sun 2026-03-29 03:00:00 +02:00 in "))
        #expect(lines[3].hasSuffix("the clocks skip 02:30 on this date: at the end of the gap"))
        #expect(lines[4].hasPrefix("mon 2026-03-30 02:30:00 +02:00 in ") && lines[4].hasSuffix(" -"))
        #expect(lines[5] == "NEXT CHANGE OF CLOCKS OFFSET IN NOTE")
        #expect(lines[6].hasPrefix("sun 2026-10-25 02:30:00 +02:00 in "))
        #expect(lines[6].hasSuffix("the clocks show 02:30 twice on this date: at the first of both"))
        let weekly = await self.lines(
            "mon 04:00",
            "--zone",
            "Europe/Berlin",
            "--after",
            "2026-03-20T00:00:00Z",
            "--count",
            "2"
        )
        #expect(weekly[3].hasSuffix("the clocks were set forward by 1h since the occurrence before"))
    }

    @Test func `bgtask schedule check --json has each occurrence with its offset and shift`() async throws {
        let terminal = Terminal()
        let arguments = [
            "02:30", "--zone", "Europe/Berlin", "--after", "2026-03-28T12:00:00Z", "--count", "1", "--json",
        ]
        #expect(await terminal.run(list: ["schedule", "check"] + arguments) == .done)
        let reply = try JSONDecoder().decode(ScheduleCheckReply.self, from: Data(terminal.output.utf8))
        let occurrence = try #require(reply.occurrences.first)
        #expect(reply.rhythm == "02:30 Europe/Berlin" && reply.occurrences.count == 1)
        #expect(occurrence.at.description == "2026-03-29T01:00:00Z" && occurrence.offset == "+02:00")
        #expect(occurrence.shift == "skipped" && reply.nextShift?.shift == "repeated")
    }

    @Test(arguments: [
        ("25:00", "\"25:00\" is not HH:MM", "write a time such as"),
        ("monday 02:30", "\"monday 02:30\" is not HH:MM", "\"mon-fri 02:30\""),
        ("", "\"\" is not HH:MM", "write a time such as"),
        ("6h", "\"6h\" is not HH:MM", "write every: 6h in the schedule"),
        ("every 6h", "\"every 6h\" is not HH:MM", "write every: 6h in the schedule"),
    ])
    func `bgtask schedule check refuses a text that is no time, with the rule and the remedy`(
        text: String,
        problem: String,
        remedy: String
    ) async {
        let terminal = Terminal()
        #expect(await terminal.run("schedule", "check", text) == .misuse)
        #expect(terminal.output.isEmpty && terminal.error.contains(problem), "\(terminal.error)")
        #expect(terminal.error.contains(remedy), "\(terminal.error)")
    }

    @Test func `bgtask schedule check refuses an unknown zone with the nearest one, and a count out of range`() async {
        let terminal = Terminal()
        #expect(await terminal.run("schedule", "check", "02:30", "--zone", "Europe/Berlim") == .misuse)
        #expect(terminal.error.contains("write \"Europe/Berlin\""), "\(terminal.error)")
        #expect(await Terminal().run("schedule", "check", "02:30", "--count", "0") == .misuse)
    }

    @Test func `bgtask schedule check of a time without a further occurrence prints an error and exits with 1`() async {
        let terminal = Terminal()
        let options = ["--zone", "UTC", "--after", "2262-04-11T23:00:00Z"]
        #expect(await terminal.run(list: ["schedule", "check", "02:30"] + options) == .refused)
        #expect(terminal.output.isEmpty)
        #expect(terminal.error == "bgtask: 02:30 UTC has no occurrence after 2262-04-11 23:00:00\n")
        let json = Terminal()
        #expect(await json.run(list: ["schedule", "check", "02:30", "--json"] + options) == .refused)
        #expect(json.output.contains("\"occurrences\" : ["))
    }
}
