// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginRuntime
import TaskModel
import Testing

@Suite("The slots of a launch state which tasks are open and hold their newest progress")
struct TaskSlotsTests {
    private static let launch = LaunchNumber(rawValue: 7)
    private let slots = TaskSlots(of: launch)

    private func task(_ index: Int, of launch: LaunchNumber = launch) -> TaskID {
        TaskID(launch: launch, index: index)
    }

    private func progress(_ done: Int64) throws -> TaskProgress {
        try #require(TaskProgress(done: done, total: 1_000_000))
    }

    @Test func `a task is open from its delivery until it is closed`() {
        #expect(!slots.isOpen(task(3)))
        slots.open(task(3))
        #expect(slots.isOpen(task(3)) && !slots.isOpen(task(2)) && !slots.isOpen(task(4)))
        slots.close(task(3))
        #expect(!slots.isOpen(task(3)))
    }

    @Test func `no task is open after the end of the launch`() {
        for index in 0..<4 { slots.open(task(index)) }
        slots.closeAll()
        #expect((0..<4).allSatisfy { !slots.isOpen(task($0)) })
    }

    @Test func `a task of another launch or with an index beyond the slots is never open and holds no progress`() throws
    {
        let foreign = [
            task(0, of: LaunchNumber(rawValue: 6)), task(0, of: LaunchNumber(rawValue: 8)), task(-1),
            task(TaskSlots.count), TaskID(rawValue: 0), TaskID(rawValue: .max),
        ]
        for task in foreign {
            slots.open(task)
            #expect(!slots.isOpen(task) && slots.take(task) == nil)
            #expect(try !slots.hold(progress(1), of: task))
            #expect(!slots.replace(task, done: 1, total: 2))
        }
    }

    @Test
    func `newer progress replaces progress held in a task's slot, is taken once, and is refused while none is held`()
        throws
    {
        slots.open(task(0))
        #expect(!slots.replace(task(0), done: 1, total: 1_000_000), "no report is held")
        #expect(try slots.hold(progress(2), of: task(0)))
        #expect(slots.replace(task(0), done: 3, total: 1_000_000))
        #expect(slots.replace(task(0), done: 4, total: 1_000_000))
        #expect(try slots.take(task(0)) == progress(4))
        #expect(slots.take(task(0)) == nil && !slots.replace(task(0), done: 5, total: 1_000_000))
    }

    @Test func `a task's slot refuses invalid progress, such as 11 of 10 units, and keeps the held progress`() throws {
        slots.open(task(0))
        #expect(try slots.hold(progress(2), of: task(0)))
        for (done, total) in [(-1, 10), (11, 10), (0, 0), (1, -1)] as [(Int64, Int64)] {
            #expect(!slots.replace(task(0), done: done, total: total))
        }
        #expect(try slots.take(task(0)) == progress(2))
    }

    @Test func `the slot of a closed task keeps its held progress and refuses new progress`() throws {
        slots.open(task(0))
        #expect(try slots.hold(progress(2), of: task(0)))
        slots.close(task(0))
        #expect(!slots.replace(task(0), done: 3, total: 1_000_000))
        #expect(try slots.take(task(0)) == progress(2))
    }

    @Test func `progress that four threads set at once ends as the complete last value of one thread`() async throws {
        slots.open(task(0))
        #expect(try slots.hold(progress(0), of: task(0)))
        await withTaskGroup(of: Void.self) { group in
            for thread in 1...4 as ClosedRange<Int64> {
                group.addTask {
                    // A thread that meets another one is left to the tables, which would wait; here it tries again.
                    for value in 1...20_000 as ClosedRange<Int64> {
                        while !slots.replace(task(0), done: value, total: value * 10 + thread) { await Task.yield() }
                    }
                }
            }
        }
        let last = try #require(slots.take(task(0)))
        #expect(last.done == 20_000 && (200_001...200_004).contains(last.total))
    }
}
