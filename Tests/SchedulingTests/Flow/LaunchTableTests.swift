// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("The launch table counts launches by the lane whose capacity they occupy, and finds them by task and plugin")
struct LaunchTableTests {
    private func number(_ value: Int64) -> LaunchNumber { LaunchNumber(rawValue: value) }

    private func table(_ count: Int64, in lane: Lane = .background) -> LaunchTable {
        var table = LaunchTable()
        for value in 1...count { table.add(ScheduledLaunch(number: number(value), plugin: .app, lane: lane)) }
        return table
    }

    @Test func `the second of two launches of one identifier is still found after the first has ended`() {
        var table = table(2)
        for value: Int64 in [2, 1] { table.begin(.clean, in: number(value)) }
        #expect(table.numbers(running: .clean) == [number(1), number(2)])
        table.end(.clean, in: number(1))
        #expect(table.numbers(running: .clean) == [number(2)])
        table.end(.clean, in: number(2))
        #expect(table.numbers(running: .clean).isEmpty)
    }

    @Test func `the second of two launches of one plugin is still found after the first was removed`() {
        var table = table(2)
        table.remove(number(1))
        #expect(table.numbers(of: .app) == [number(2)] && table.hasLaunches(of: .app) && !table.isEmpty)
        table.remove(number(2))
        #expect(table.numbers(of: .app).isEmpty && !table.hasLaunches(of: .app) && table.isEmpty)
    }

    @Test func `a launch occupies capacity of both lanes during its move, and only of the new lane after it`() {
        var table = table(1)
        table.setMoving(true, number(1))
        #expect(table.use(of: .background) == LaneUse(running: 1) && table.use(of: .continued) == LaneUse(running: 1))
        table.move(number(1), to: .continued)
        #expect(table.use(of: .background) == LaneUse() && table.use(of: .continued) == LaneUse(running: 1))
        table.move(number(1), to: .continued)
        #expect(table.use(of: .background) == LaneUse() && table.use(of: .continued) == LaneUse(running: 1))
        table.remove(number(1))
        #expect(table.use(of: .continued) == LaneUse())
    }

    @Test func `a launch that stops is counted as stopping, once, until it is removed`() {
        var table = table(2)
        for _ in 1...2 { table.setStopping(number(1)) }
        #expect(table.use(of: .background) == LaneUse(running: 1, stopping: 1))
        #expect(table.isStopping(number(1)) && !table.isStopping(number(2)))
        #expect(table.hasLaunches(of: .app) && table.numbers(of: .app).count == 2)
        table.remove(number(1))
        #expect(table.use(of: .background) == LaneUse(running: 1) && !table.isStopping(number(1)))
    }

    @Test func `an unknown launch is not counted as stopping`() {
        var table = table(1)
        table.setStopping(number(7))
        #expect(table.use(of: .background) == LaneUse(running: 1) && !table.isStopping(number(7)))
    }

    @Test
    func `a launch whose move is cancelled or that is removed during its move occupies no capacity of the new lane`() {
        var table = table(2, in: .event)
        for value: Int64 in 1...2 { table.setMoving(true, number(value)) }
        table.setMoving(false, number(1))
        #expect(table.use(of: .continued).running == 1)
        table.remove(number(2))
        #expect(table.use(of: .continued).running == 0 && table.use(of: .event).running == 1)
    }
}
