// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import TerminalText
import Testing

@testable import Commands

@Suite("Lists and explanations of tasks name the cursor at which a task continues")
struct CursorTextTests {
    private let reader = Reader(now: Samples.now, timeZone: .gmt)

    private func cursor(standstills: Int = 0, version: String = "2.1") -> CursorSummary {
        CursorSummary(
            TaskCursor(
                bytes: [1, 2],
                version: version,
                movedAt: Samples.now,
                submission: SubmissionNumber(rawValue: 7),
                standstills: standstills
            )
        )
    }

    @Test func `the line of a cursor has its time, its writer and the runs that did not move it`() {
        let time = Timestamp(Samples.now).text(for: reader)
        #expect(cursor().text(for: reader) == "moved \(time) by submission 7 of version 2.1")
        #expect(cursor(standstills: 1, version: "").text(for: reader).hasSuffix("submission 7, not in the last run"))
        #expect(cursor(standstills: 2).text(for: reader).hasSuffix(", not in the last 2 runs"))
    }

    @Test func `a table has a column of cursors only when a task has one and the table need not fit a terminal`() {
        var narrow = reader
        narrow.width = 80
        #expect(CursorColumn(of: [nil, cursor()], for: reader).heading == ["CURSOR"])
        #expect(CursorColumn(of: [nil, cursor()], for: reader).cell(of: nil) == [""])
        #expect(CursorColumn(of: [nil], for: reader).heading.isEmpty)
        #expect(CursorColumn(of: [cursor()], for: narrow).cell(of: cursor()).isEmpty)
    }

    @Test func `why and the wide list show the cursor`() throws {
        var why = try Samples.why()
        why.cursor = cursor()
        #expect(why.text(for: reader).contains("by submission 7 of version 2.1"))
        var list = try Samples.taskList()
        #expect(!list.text(for: reader).contains("CURSOR"))
        list.pending[0].cursor = cursor(standstills: 2)
        #expect(list.text(for: reader).contains("CURSOR") && list.text(for: reader).contains("last 2 runs"))
    }
}
