// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import TerminalText
import Testing

@testable import HostMonitor

@Suite("The picture of bgtask watch fits its terminal")
struct WatchPictureTests {
    private static let colourful = PictureStyle(isSteerable: true, isColoured: true, drawsBlocks: true)
    private static let ascii = PictureStyle(isSteerable: false, isColoured: false, drawsBlocks: false)
    private static let reader = Reader(now: Samples.now, timeZone: .gmt)

    private static func picture(
        _ host: WatchedHost,
        _ columns: Int?,
        _ rows: Int?,
        style: PictureStyle = .plain
    ) -> [String] {
        WatchPicture(host, style: style, reader: reader).lines(columns: columns, rows: rows)
    }

    @Test
    func `another subtitle, expiration or task makes snapshots of bgtask watch unequal, another used time does not`()
        throws
    {
        let before = try Samples.snapshot(used: .seconds(2)).frameKey
        #expect(try Samples.snapshot(used: .seconds(3)).frameKey == before)
        #expect(try Samples.snapshot(subtitle: "4 of 12: IMG_0004.jpg").frameKey != before)
        #expect(try Samples.snapshot(isExpiring: true).frameKey != before)
        #expect(try Samples.crowd().frameKey != before)
    }

    @Test func `the picture of bgtask watch has sections for conditions, running, waiting, events and ended tasks`()
        throws
    {
        let lines = Self.picture(.present(try Samples.snapshot()), 100, 24)
        #expect(
            lines.joined(separator: "\n") == """
                01:48:00  2 running, 2 waiting  host up 1h, /run/bgtask/control.sock
                external power no (simulated), network yes, idle yes, high load no, gpu no, low memory ?, hot ?, ba…

                RUNNING 2
                  41  com.example.feed.refresh   background  ██████████████░░░░░░  22.4s of 30s
                  42  com.example.feed.export.7  continued   1min 15s
                      Exporting 夏  3 of 12: IMG_0003.jpg
                      ██████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 25 %  3 of 12

                WAITING 1
                  com.example.feed.refresh  refresh  earliest-begin in 12min  failed 3x  the earliest begin of the …

                EVENTS 1
                  com.example.feed  started  may run now

                LATELY
                  01:48:00  succeeded  com.example.feed.refresh  pruned 12 rows
                """
        )
    }

    @Test func `a narrow picture of bgtask watch has bars below the names and truncated columns`() throws {
        let lines = Self.picture(.present(try Samples.snapshot()), 44, 20)
        #expect(
            lines.joined(separator: "\n") == """
                01:48:00  2 running, 2 waiting  host up 1h,…
                external power no (simulated), network yes,…

                RUNNING 2
                41  com.example.feed.refresh
                  ███████████░░░░░ 22.4s of 30s
                42  com.example.feed.export.7
                  1min 15s
                  Exporting 夏  3 of 12: IMG_0003.jpg
                  █████░░░░░░░░░░░░░░░░░ 25 %  3 of 12

                WAITING 1
                com.example.feed.refresh  earliest-begin in…

                EVENTS 1
                com.example.feed  may run now

                LATELY
                01:48:00  succeeded  com.example.feed.refre…
                """
        )
    }

    @Test func `a tiny picture of bgtask watch shows running tasks and counts the hidden rows`() throws {
        let lines = Self.picture(.present(try Samples.crowd()), 20, 5)
        #expect(
            lines.joined(separator: "\n") == """
                01:48:00  20 runnin…
                RUNNING 20, 1 shown
                41  …le.feed.refresh
                WAITING 40, 0 shown
                EVENTS 1, 0 shown
                """
        )
    }

    @Test
    func `the picture of bgtask watch is no wider and no higher than terminals of 1 to 100 columns and 1 to 60 rows`()
        throws
    {
        let absence = WatchedHost.Absence(since: Samples.now, problem: "no host answers", remedy: "start one")
        let hosts: [WatchedHost] = [
            .present(try Samples.snapshot()), .present(try Samples.crowd()),
            .gone(absence, last: try Samples.crowd()),
        ]
        for host in hosts {
            for columns in [1, 2, 3, 5, 8, 13, 19, 20, 21, 34, 44, 60, 75, 76, 77, 100] {
                for rows in [1, 2, 3, 4, 5, 6, 8, 15, 60] {
                    let lines = Self.picture(host, columns, rows)
                    #expect(lines.count <= rows && !lines.isEmpty, "\(columns)x\(rows)")
                    #expect(lines.allSatisfy { $0.displayWidth <= columns }, "\(columns)x\(rows): \(lines)")
                }
            }
        }
    }

    @Test func `if rows are left out, a heading in bgtask watch has the number of all rows and of the shown rows`()
        throws
    {
        let lines = Self.picture(.present(try Samples.crowd()), 100, 20)
        let shown = lines.count { $0.contains("com.example.feed.refresh  refresh") }
        #expect(shown > 0 && lines.contains("WAITING 40, \(shown) shown"), "\(lines)")
    }

    @Test func `the headings in bgtask watch count the tasks beyond the first page`() throws {
        let few = try Samples.snapshot()
        let next = WorkCursor(plugin: try Samples.plugin(), number: SubmissionNumber(rawValue: 12))
        let snapshot = HostSnapshot(
            host: few.host,
            tasks: TaskListReply(
                pending: few.tasks.pending,
                running: few.tasks.running,
                events: few.tasks.events,
                next: next
            ),
            launches: few.launches,
            journal: few.journal,
            takenAt: few.takenAt
        )
        let lines = Self.picture(.present(snapshot), 100, 24)
        #expect(lines[0].hasPrefix("01:48:00  2 running, 4 waiting"))
        #expect(lines.contains("WAITING 3, 1 shown") && lines.contains("EVENTS 1"), "\(lines)")
        #expect(snapshot.frameKey != few.frameKey)
    }

    @Test func `bgtask watch marks an expiring launch by its grace period, and by colour where allowed`() throws {
        let host = WatchedHost.present(try Samples.snapshot(used: .milliseconds(31_200)))
        let plain = Self.picture(host, 100, 24)
        #expect(plain.contains { $0.contains("31.2s of 30s, grace 1.2s of 5s") && $0.contains("████") })
        let coloured = Self.picture(host, 100, 24, style: Self.colourful)
        #expect(coloured.contains { $0.contains("\u{1b}[1;31m██") && $0.contains("grace") })
        let calm = Self.picture(.present(try Samples.snapshot(used: .seconds(3))), 100, 24, style: Self.colourful)
        #expect(!calm.contains { $0.contains("\u{1b}[1;31m█") } && calm.contains { $0.contains("\u{1b}[32m██") })
    }

    @Test func `control characters in the titles of tasks are escaped in bgtask watch`() throws {
        let snapshot = try Samples.snapshot(title: "\u{1b}[2J\u{1b}]0;owned\u{7}", subtitle: "a\nb\u{202e}c")
        let lines = Self.picture(.present(snapshot), nil, nil)
        #expect(!lines.contains { $0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e } })
        #expect(lines.contains { $0.contains("\\u{1B}[2J") && $0.contains("a\\nb") }, "\(lines)")
    }

    @Test func `without a host bgtask watch shows the problem, the remedy and the last known state`() throws {
        let absence = WatchedHost.Absence(
            since: Samples.now + .seconds(-10),
            problem: "no host answers at /run/x: nobody listens",
            remedy: "start one with: bgtask host run"
        )
        let lines = Self.picture(.gone(absence, last: try Samples.snapshot()), 100, 30)
        #expect(lines.first == "01:48:00  no answer since 01:47:50")
        #expect(lines.contains(absence.problem) && lines.contains(absence.remedy))
        #expect(lines.contains("the data below is from 01:48:00") && lines.contains("RUNNING 2"))
    }

    @Test func `without Unicode bgtask watch prints only ASCII`() throws {
        let lines = Self.picture(.present(try Samples.snapshot(title: "Export")), 60, 30, style: Self.ascii)
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }, "\(lines)")
        #expect(lines.contains { $0.contains("#####---------------") })
    }

    @Test func `NO_COLOR disables colours in bgtask watch, and a dumb terminal gets no escape codes`() {
        func style(_ environment: [String: String], _ isTerminal: Bool = true) -> PictureStyle {
            PictureStyle(environment: environment, isTerminal: isTerminal)
        }
        let usual = style(["TERM": "xterm", "LANG": "de_DE.UTF-8"])
        #expect(usual.isSteerable && usual.isColoured && usual.drawsBlocks)
        #expect(style(["TERM": "xterm", "NO_COLOR": "1"]).isSteerable)
        #expect(!style(["TERM": "xterm", "NO_COLOR": "1"]).isColoured)
        #expect(style(["TERM": "xterm", "NO_COLOR": ""]).isColoured)
        #expect(!style(["TERM": "dumb"]).isSteerable && !style([:]).isSteerable)
        #expect(!style(["TERM": "dumb"]).isColoured && !style([:]).isColoured)
        #expect(!style(["TERM": "xterm"], false).isSteerable && !style(["TERM": "xterm"], false).isColoured)
        #expect(!style(["LC_ALL": "C", "LANG": "C.UTF-8"]).drawsBlocks)
    }

    @Test func `a progress bar is full only when the work is complete`() {
        func full(_ part: Double, _ whole: Double) -> Int { Bar(part, of: whole).cells(10, style: .plain).full.count }
        #expect(full(0, 4) == 0 && full(1, 4) == 2 && full(3.999, 4) == 9 && full(4, 4) == 10)
        #expect(full(9, 4) == 10 && full(-1, 4) == 0 && full(1, 0) == 0)
        #expect(Bar(3_999, of: 4_000).percent == 99)
    }
}
