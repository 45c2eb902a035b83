// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginRuntime
import StatementTraits
import TaskModel
import Testing

@Suite("Completion and expiration race, and every task has one end")
struct TaskTableTests {
    private let task = TaskID(rawValue: 1)
    private let other = TaskID(rawValue: 2)
    private let early = MonotonicTime(nanoseconds: 1)
    private let deadline = MonotonicTime(nanoseconds: 1_000)

    @Test(.proves(62)) func `of two completions of a task the first counts`() {
        var table = delivered()
        #expect(table.complete(task, as: .success, at: early).isRecorded(.success))
        #expect(table.complete(task, as: .failure, at: early).isAlreadyCompleted)
    }

    @Test(.proves("BGT-ABI-09"))
    func `the answer to a second completion of a task states whether the task had expired before the first one`() {
        var table = delivered()
        _ = table.complete(task, as: .success, at: early)
        _ = table.expire(.all, .budget, at: deadline)
        #expect(table.complete(task, as: .success, at: deadline).isAlreadyCompleted(afterExpiration: false))
        _ = table.complete(other, as: .success, at: deadline)
        #expect(table.complete(other, as: .failure, at: deadline).isAlreadyCompleted(afterExpiration: true))
    }

    @Test func `a completion of another launch's task or of an undelivered task is answered as unknown`() {
        var table = TaskTable<String>([task, other], deadline: deadline, gracePeriod: .nanoseconds(100))
        #expect(table.complete(task, as: .success, at: early).isUnknown)
        table.deliver([task])
        #expect(table.complete(other, as: .success, at: early).isUnknown)
        #expect(table.complete(TaskID(rawValue: 0), as: .success, at: early).isUnknown)
        #expect(table.presence(of: other) == .unknown)
        #expect(table.presence(of: task) == .open(nil))
    }

    @Test(.proves(58, 59)) func `a completion counts within the grace period, and not from the kill time on`() {
        var table = delivered()
        _ = table.expire(.all, .budget, at: deadline)
        #expect(table.complete(task, as: .success, at: MonotonicTime(nanoseconds: 1_099)).isRecorded(.success))
        #expect(table.complete(other, as: .success, at: MonotonicTime(nanoseconds: 1_100)).isTooLate)
    }

    @Test func `a task whose condition is lost has a grace period of its own`() {
        var table = delivered()
        _ = table.expire(.tasks([task]), .networkLost, at: MonotonicTime(nanoseconds: 200))
        #expect(table.complete(task, as: .success, at: MonotonicTime(nanoseconds: 300)).isTooLate)
        #expect(table.complete(other, as: .success, at: MonotonicTime(nanoseconds: 300)).isRecorded(.success))
    }

    @Test func `an expiration concerns each open task once, and the first reason stays`() {
        var table = delivered()
        _ = table.complete(task, as: .success, at: early)
        #expect(table.expire(.all, .stoppedByUser, at: early).map(\.task) == [other])
        #expect(table.expire(.all, .budget, at: deadline).isEmpty)
        #expect(table.presence(of: other) == .open(.stoppedByUser))
        #expect(table.presence(of: task) == .completed)
    }

    @Test func `a task that expired during entry is delivered as expiring`() {
        var table = TaskTable<String>([task, other], deadline: deadline, gracePeriod: .zero)
        #expect(table.expire(.all, .budget, at: deadline).map(\.mustCall) == [false, false])
        table.deliver([task])
        #expect(table.presence(of: task) == .open(.budget))
        #expect(table.setHandler("late", of: task).mustCall == true)
    }

    @Test func `a task that is not delivered because it has no handler does not expire`() {
        var table = TaskTable<String>([task, other], deadline: deadline, gracePeriod: .zero)
        table.deliver([other])
        #expect(table.expire(.all, .budget, at: deadline).map(\.task) == [other])
    }

    @Test(.proves(58)) func `an expiration handler set before the expiration is called once`() {
        var table = delivered()
        #expect(table.setHandler("handler", of: task).mustCall == false)
        #expect(table.expire(.tasks([task]), .budget, at: deadline).map(\.mustCall) == [true])
        let call = table.beginCall(of: task)
        #expect(call?.0 == "handler")
        #expect(call?.1 == .budget)
        #expect(table.beginCall(of: task) == nil)
        #expect(table.endCall(of: task) == "handler")
        #expect(table.beginCall(of: task) == nil)
    }

    @Test func `an expiration handler set after another one was called is never called`() {
        var table = delivered()
        _ = table.setHandler("first", of: task)
        _ = table.expire(.tasks([task]), .budget, at: deadline)
        _ = table.beginCall(of: task)
        #expect(table.setHandler("during", of: task).mustCall == false)
        #expect(table.endCall(of: task) == "first")
        #expect(table.setHandler("after", of: task).mustCall == false)
        #expect(table.beginCall(of: task) == nil)
        #expect(table.end() == ["after"])
    }

    @Test(.proves(56)) func `a task completed before its expiration call begins gets no such call`() {
        var table = delivered()
        _ = table.setHandler("handler", of: task)
        _ = table.expire(.tasks([task]), .budget, at: early)
        #expect(table.complete(task, as: .success, at: early).released == "handler")
        #expect(table.beginCall(of: task) == nil)
    }

    @Test(.proves(56)) func `a completion inside the expiration call leaves the release of the handler to that call`() {
        var table = delivered()
        _ = table.setHandler("handler", of: task)
        _ = table.expire(.tasks([task]), .budget, at: early)
        _ = table.beginCall(of: task)
        #expect(table.complete(task, as: .success, at: early).released == nil)
        #expect(table.endCall(of: task) == "handler")
    }

    @Test func `an expiration handler removed before its call is not called, but its successor is called`() {
        var table = delivered()
        _ = table.setHandler("first", of: task)
        _ = table.expire(.tasks([task]), .budget, at: early)
        #expect(table.setHandler(nil, of: task).replaced == "first")
        #expect(table.beginCall(of: task) == nil)
        #expect(table.setHandler("second", of: task).mustCall == true)
        #expect(table.beginCall(of: task)?.0 == "second")
    }

    @Test func `the host is notified when an expiration handler is set or removed, not when it is replaced`() {
        var table = delivered()
        #expect(table.setHandler(nil, of: task).report == nil)
        #expect(table.setHandler("first", of: task).report == true)
        #expect(table.setHandler("second", of: task).report == nil)
        #expect(table.setHandler(nil, of: task).report == false)
    }

    @Test func `a completed task accepts no expiration handler`() {
        var table = delivered()
        _ = table.complete(task, as: .success, at: early)
        #expect(table.setHandler("late", of: task).isAlreadyCompleted)
        #expect(table.setHandler("foreign", of: TaskID(rawValue: 9)).isUnknown)
    }

    // MARK: Continued tasks

    @Test(.proves("C8")) func `the deadline of a launch does not apply to its continued task`() {
        var table = mixed()
        #expect(table.expire(.bounded, .budget, at: deadline).map(\.task) == [task])
        #expect(table.presence(of: other) == .open(nil) && table.hasUnbounded)
        let late = MonotonicTime(nanoseconds: 5_000)
        #expect(table.complete(task, as: .success, at: late).isTooLate)
        #expect(table.complete(other, as: .success, at: late).isRecorded(.success))
        #expect(!table.hasUnbounded)
    }

    @Test(.proves(77, 78)) func `an expired continued task has its own grace period`() {
        var table = mixed()
        _ = table.expire(.tasks([other]), .noProgress, at: MonotonicTime(nanoseconds: 5_000))
        #expect(!table.hasUnbounded)
        #expect(table.presence(of: other) == .open(.noProgress))
        #expect(table.complete(other, as: .success, at: MonotonicTime(nanoseconds: 5_100)).isTooLate)
    }

    @Test func `a launch without a deadline accepts a completion at the latest representable time`() {
        var table = TaskTable<String>([task], continued: [task], deadline: nil, gracePeriod: .nanoseconds(100))
        table.deliver([task])
        #expect(table.expire(.bounded, .budget, at: deadline).isEmpty)
        #expect(table.complete(task, as: .success, at: MonotonicTime(nanoseconds: .max)).isRecorded(.success))
    }

    @Test func `a task that is delivered twice while its launch runs is added once`() {
        var table = delivered()
        let later = TaskID(rawValue: 3)
        let added = [later, later, task].map { table.add($0) }
        #expect(added == [true, false, false])
        #expect(table.presence(of: later) == .open(nil))
        #expect(table.expire(.all, .hostShutdown, at: early).map(\.task) == [task, other, later])
        #expect(table.complete(later, as: .success, at: early).isRecorded(.success))
        #expect(table.add(later) == false)
    }

    private func mixed() -> TaskTable<String> {
        var table = TaskTable<String>(
            [task, other],
            continued: [other],
            deadline: deadline,
            gracePeriod: .nanoseconds(100)
        )
        table.deliver([task, other])
        return table
    }

    private func delivered() -> TaskTable<String> {
        var table = TaskTable<String>([task, other], deadline: deadline, gracePeriod: .nanoseconds(100))
        table.deliver([task, other])
        return table
    }
}

extension TaskTable.Completion {
    func isRecorded(_ expected: CompletionOutcome) -> Bool {
        if case .recorded(let outcome, _) = self { outcome == expected } else { false }
    }

    var released: Handler? { if case .recorded(_, let handler) = self { handler } else { nil } }
    var isAlreadyCompleted: Bool { if case .alreadyCompleted = self { true } else { false } }
    func isAlreadyCompleted(afterExpiration expected: Bool) -> Bool {
        if case .alreadyCompleted(let afterExpiration) = self { afterExpiration == expected } else { false }
    }
    var isUnknown: Bool { if case .unknown = self { true } else { false } }
    var isTooLate: Bool { if case .tooLate = self { true } else { false } }
}

extension TaskTable.HandlerChange {
    var mustCall: Bool? { if case .changed(_, _, let mustCall) = self { mustCall } else { nil } }
    var report: Bool? { if case .changed(_, let report, _) = self { report } else { nil } }
    var replaced: Handler? { if case .changed(let replaced, _, _) = self { replaced } else { nil } }
    var isAlreadyCompleted: Bool { if case .alreadyCompleted = self { true } else { false } }
    var isUnknown: Bool { if case .unknown = self { true } else { false } }
}
