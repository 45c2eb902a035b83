// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginRuntime
import RunnerWire
import Synchronization
import TaskModel
import Testing

@Suite("At most sixteen calls of a launch await the host's answer")
struct CallTableTests {
    private static let accepted = CallTable.Answer.cancelled(isRecorded: true)

    @Test func `the seventeenth call of a launch is sent when one of sixteen is answered`() async {
        let callers = Callers()
        await callers.start(CallWindow.limit + 1)
        #expect(callers.sent == Array(0..<CallWindow.limit))
        callers.answer(3)
        await callers.until { $0.sent.count == CallWindow.limit + 1 }
        #expect(callers.sent.last == CallWindow.limit && callers.table.waiting == 0)
        await callers.finish()
    }

    @Test func `waiting calls of a launch are sent in the order in which they were made`() async {
        let callers = Callers()
        await callers.start(CallWindow.limit + 8)
        for index in 0..<8 {
            callers.answer(index)
            await callers.until { $0.sent.count == CallWindow.limit + index + 1 }
        }
        #expect(callers.sent == Array(0..<CallWindow.limit + 8))
        await callers.finish()
    }

    @Test func `several answers at once free places for as many waiting calls of a launch`() async {
        let callers = Callers()
        await callers.start(2 * CallWindow.limit)
        for index in 0..<CallWindow.limit { callers.answer(index) }
        await callers.until { $0.sent.count == 2 * CallWindow.limit }
        await callers.finish()
    }

    @Test
    func `a second call for the list of pending requests is sent after the first's answer, and delays no other call`()
        async
    {
        let callers = Callers(lists: [0, 1, 3])
        await callers.start(5)
        #expect(callers.sent == [0, 2, 4] && callers.table.waiting == 2)
        callers.answer(2)
        #expect(callers.table.waiting == 2)
        callers.answer(0)
        await callers.until { $0.sent.count == 4 }
        callers.answer(1)
        await callers.until { $0.sent.count == 5 }
        #expect(callers.sent == [0, 2, 4, 1, 3])
        await callers.finish()
    }

    @Test func `a call for the list of pending requests that could not be sent does not delay the next such call`()
        async
    {
        let callers = Callers(failing: [0], lists: [0, 1])
        await callers.start(2)
        #expect(callers.sent == [0, 1] && callers.results[0] == .some(nil))
        await callers.finish()
    }

    @Test func `a repeated answer, or an answer to no call, frees no second place for waiting calls`() async {
        let callers = Callers()
        await callers.start(CallWindow.limit + 2)
        callers.table.answer(CallNumber(rawValue: 1), Self.accepted)
        callers.table.answer(CallNumber(rawValue: 1), Self.accepted)
        callers.table.answer(CallNumber(rawValue: 99), Self.accepted)
        await callers.until { $0.results[0] != nil && $0.sent.count == CallWindow.limit + 1 }
        #expect(callers.table.waiting == 1)
        await callers.finish()
    }

    @Test func `a call that could not be sent frees its place and returns without an answer`() async {
        let callers = Callers(failing: [2])
        await callers.start(CallWindow.limit + 1)
        await callers.until { $0.sent.count == CallWindow.limit + 1 }
        #expect(callers.results[2] == .some(nil))
        await callers.finish()
    }

    @Test func `closing the call table returns nil to unsent calls, and sent calls still get their answers`() async {
        let callers = Callers()
        await callers.start(CallWindow.limit + 4)
        callers.table.close()
        await callers.until { $0.results.count == 4 }
        #expect(callers.results == Dictionary(uniqueKeysWithValues: (16..<20).map { ($0, nil) }))
        #expect(callers.table.call { _ in true } == nil)
        for index in 0..<CallWindow.limit { callers.answer(index) }
        #expect(callers.table.drain(until: .farFuture) == 0)
        await callers.until { $0.results.count == CallWindow.limit + 4 }
        #expect((0..<CallWindow.limit).allSatisfy { callers.results[$0] == Self.accepted })
        #expect(callers.sent == Array(0..<CallWindow.limit))
    }

    @Test func `draining the call table until a deadline that has passed returns the number of unanswered calls`() async
    {
        let callers = Callers()
        await callers.start(3)
        callers.table.close()
        callers.answer(1)
        await callers.until { $0.results.count == 1 }
        #expect(callers.table.drain(until: MonotonicTime(nanoseconds: 0)) == 2)
        await callers.finish()
    }

    /// Threads that make one call each.
    private final class Callers: Sendable {
        private struct State {
            /// The callers whose call was sent, in that order.
            var sent: [Int] = []
            /// The result of each caller's call; nil for a call that was not sent.
            var results: [Int: CallTable.Answer?] = [:]
            var numbers: [Int: CallNumber] = [:]
        }

        let table = CallTable()
        private let failing: Set<Int>
        private let lists: Set<Int>
        private let state = Mutex(State())

        /// Creates callers, which are numbered from 0.
        ///
        /// - Parameters:
        ///   - failing: the callers whose call cannot be sent.
        ///   - lists: the callers whose call is one for a list.
        init(failing: Set<Int> = [], lists: Set<Int> = []) { (self.failing, self.lists) = (failing, lists) }

        var sent: [Int] { state.withLock { $0.sent } }
        var results: [Int: CallTable.Answer?] { state.withLock { $0.results } }

        /// Starts callers from 0 on, each after the previous call was sent or waits for a place.
        func start(_ count: Int) async {
            for index in 0..<count {
                Thread.detachNewThread { self.call(index) }
                await until { $0.sent.count + $0.table.waiting == index + 1 }
            }
        }

        private func call(_ index: Int) {
            let result = table.call(isList: lists.contains(index)) { number in
                state.withLock { state in
                    state.sent.append(index)
                    state.numbers[index] = number
                }
                return !failing.contains(index)
            }
            state.withLock { $0.results[index] = .some(result) }
        }

        func answer(_ index: Int) {
            if let number = state.withLock({ $0.numbers[index] }) { table.answer(number, CallTableTests.accepted) }
        }

        func until(_ condition: (Callers) -> Bool) async {
            while !condition(self) { await Task.yield() }
        }

        /// Closes the table and answers all calls, so that every thread ends.
        func finish() async {
            table.close()
            for index in sent { answer(index) }
            #expect(table.drain(until: .farFuture) == 0)
        }
    }
}

extension MonotonicTime {
    fileprivate static var farFuture: MonotonicTime { MonotonicTime(nanoseconds: .max / 2) }
}
