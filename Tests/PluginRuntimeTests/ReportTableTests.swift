// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginRuntime
import StatementTraits
import TaskModel
import Testing

@Suite("Of many progress reports the newest counts, and the last always arrives", .proves(77))
struct ReportTableTests {
    @Test func `of a task's progress reports that wait for the end of an interval only the newest is sent`() {
        var table = ReportTable<String, Int>()
        #expect(table.put(1, as: "a", at: at(0)) == .send)
        #expect(table.put(2, as: "a", at: at(1)) == .hold(isFirst: true))
        #expect(table.put(3, as: "a", at: at(2)) == .hold(isFirst: false))
        #expect(table.due == at(250))
        #expect(table.takeDue(at: at(249)) == [])
        #expect(table.takeDue(at: at(250)) == [3])
        #expect(table.due == nil)
    }

    @Test func `a progress report after the interval is sent at once`() {
        var table = ReportTable<String, Int>()
        #expect(table.put(1, as: "a", at: at(0)) == .send)
        #expect(table.put(2, as: "a", at: at(250)) == .send)
        #expect(table.put(3, as: "a", at: at(300)) == .hold(isFirst: true))
        #expect(table.due == at(500))
    }

    @Test func `a million progress reports in a second become five messages`() {
        var table = ReportTable<String, Int>()
        var sent: [Int] = []
        for index in 0..<1_000_000 {
            let now = MonotonicTime(nanoseconds: Int64(index) * 1_000)
            sent += table.takeDue(at: now)
            if table.put(index, as: "a", at: now) == .send { sent.append(index) }
        }
        if let last = table.close("a") { sent.append(last) }
        #expect(sent.count == 5 && sent.first == 0 && sent.last == 999_999)
    }

    @Test func `an unchanged progress report is not sent and sets no timer`() {
        var table = ReportTable<String, Int>()
        table.assume(1, as: "a")
        #expect(table.put(1, as: "a", at: at(0)) == .nothingNew)
        #expect(table.due == nil)
        #expect(table.put(2, as: "a", at: at(0)) == .send)
        #expect(table.put(2, as: "a", at: at(1)) == .nothingNew)
        #expect(table.put(3, as: "a", at: at(2)) == .hold(isFirst: true))
        #expect(table.put(3, as: "a", at: at(3)) == .nothingNew)
        #expect(table.put(2, as: "a", at: at(4)) == .nothingNew)
        #expect(table.due == nil && table.takeDue(at: at(900)) == [])
    }

    @Test func `progress reports of two keys have separate intervals; the key whose interval ends first is sent first`()
    {
        var table = ReportTable<String, Int>()
        #expect(table.put(1, as: "a", at: at(0)) == .send)
        #expect(table.put(2, as: "b", at: at(100)) == .send)
        #expect(table.put(3, as: "b", at: at(110)) == .hold(isFirst: true))
        #expect(table.put(4, as: "a", at: at(120)) == .hold(isFirst: false))
        #expect(table.due == at(250))
        #expect(table.takeDue(at: at(250)) == [4])
        #expect(table.due == at(350))
        #expect(table.takeDue(at: at(400)) == [3])
    }

    @Test func `closing one key, or all keys, of the report table returns each waiting report once`() {
        var table = ReportTable<String, Int>()
        _ = table.put(1, as: "a", at: at(0))
        _ = table.put(2, as: "a", at: at(1))
        #expect(table.close("a") == 2)
        #expect(table.close("a") == nil)
        #expect(table.due == nil)
        _ = table.put(1, as: "b", at: at(0))
        _ = table.put(2, as: "b", at: at(1))
        _ = table.put(1, as: "c", at: at(0))
        #expect(table.closeAll() == [2])
        #expect(table.closeAll() == [])
    }

    // Random orders of reports and timer checks, with an independent record.
    @Test(arguments: 0..<30 as Range<UInt64>)
    func `of random progress reports no last value is lost, none is out of order, and none is sent too soon`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var table = ReportTable<Int, Int>()
        var (time, count): (Int64, Int) = (0, 0)
        var last: [Int: Int] = [:]
        var reported: [Int: [(value: Int, time: Int64)]] = [:]
        for _ in 0..<400 {
            time += Int64.random(in: 0...90, using: &random)
            for value in table.takeDue(at: at(time)) { reported[value % 3, default: []].append((value, time)) }
            let key = Int.random(in: 0..<3, using: &random)
            count += 1
            last[key] = 3 * count + key
            if table.put(3 * count + key, as: key, at: at(time)) == .send {
                reported[key, default: []].append((3 * count + key, time))
            }
            #expect(table.due.map { $0 > at(time) } ?? true)
        }
        for key in last.keys {
            let values = reported[key, default: []]
            #expect(zip(values, values.dropFirst()).allSatisfy { $0.value < $1.value && $1.time - $0.time >= 250 })
            #expect(table.close(key) ?? values.last?.value == last[key])
        }
    }

    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }
}
