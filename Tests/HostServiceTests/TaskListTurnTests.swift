// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import HostService

@Suite("Work that moves between two turns of a list is in the list once")
struct TaskListTurnTests {
    private func add(_ numbers: [Int64], to turns: inout TaskListTurns) -> [Int64] {
        turns.add(numbers) { SubmissionNumber(rawValue: $0) }
    }

    @Test func `a request that starts before its turn is running, and a requeued task is not pending`() {
        var turns = TaskListTurns()
        let first = [add([9], to: &turns), add([1, 2], to: &turns)]
        // Meanwhile 3 has started, and 9 was requeued.
        let second = [add([3], to: &turns), add([4, 9], to: &turns)]
        #expect(first == [[9], [1, 2]] && second == [[3], [4]])
    }

    @Test func `a pending request of an earlier turn that has started stays pending`() {
        var turns = TaskListTurns()
        let listed = [add([1], to: &turns), add([1, 2], to: &turns)]
        #expect(listed == [[1], [2]])
    }
}
