// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginRuntime
import StatementTraits
import TaskModel
import Testing

@Suite("Every expiration handler is released exactly once, after its last use", .proves(56))
struct HandlerReleaseTests {
    // Random orders of the calls that threads can make; a handler is a number that is never reused.
    @Test(arguments: 0..<50 as Range<UInt64>)
    func `in random orders of calls each expiration handler is released exactly once, after its last use`(seed: UInt64)
    {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            var model = Model()
            for _ in 0..<60 { model.step(using: &random) }
            model.finish()
            #expect(model.problems == [])
            #expect(model.released == model.given)
            #expect(model.calledTwice == [])
        }
    }
}

/// Drives a table as the runtime does, and records every handler independently.
private struct Model {
    private var table: TaskTable<Int>
    private let tasks = (1...3).map { TaskID(rawValue: $0) }
    private var time: Int64 = 0
    private var inCall: [TaskID: Int] = [:]
    private var callsOf: [TaskID: Int] = [:]

    private(set) var given: Set<Int> = []
    private(set) var released: Set<Int> = []
    private(set) var problems: [String] = []

    var calledTwice: [TaskID] { callsOf.filter { $0.value > 1 }.map(\.key) }

    init() {
        table = TaskTable(
            (1...3).map { TaskID(rawValue: $0) },
            deadline: MonotonicTime(nanoseconds: 60),
            gracePeriod: .nanoseconds(20)
        )
        table.deliver(tasks)
    }

    mutating func step(using random: inout SeededGenerator) {
        time += Int64.random(in: 0...2, using: &random)
        let now = MonotonicTime(nanoseconds: time)
        guard let task = tasks.randomElement(using: &random) else { return }
        switch Int.random(in: 0...9, using: &random) {
        case 0...2: set(given.count, of: task)
        case 3: set(nil, of: task)
        case 4: _ = table.expire(Bool.random(using: &random) ? .all : .tasks([task]), .budget, at: now)
        case 5, 6: begin(task)
        case 7, 8: end(task)
        default:
            if case .recorded(_, let handler?) = table.complete(task, as: .success, at: now) { release(handler) }
        }
    }

    /// Ends the launch while calls may be in progress. These calls return afterwards.
    mutating func finish() {
        for handler in table.end() { release(handler) }
        for task in tasks { begin(task) }
        for task in tasks { end(task) }
        for task in tasks { set(given.count, of: task) }
    }

    private mutating func set(_ handler: Int?, of task: TaskID) {
        if let handler { given.insert(handler) }
        switch table.setHandler(handler, of: task) {
        case .changed(let replaced, _, _):
            if let replaced { release(replaced) }
        case .alreadyCompleted, .unknown:
            // Refused: its owner has to release it.
            if let handler { release(handler) }
        }
    }

    private mutating func begin(_ task: TaskID) {
        guard let (handler, _) = table.beginCall(of: task) else { return }
        if released.contains(handler) { problems.append("\(handler) was called after its release") }
        if inCall[task] != nil { problems.append("two calls of one task at a time") }
        inCall[task] = handler
        callsOf[task, default: 0] += 1
    }

    private mutating func end(_ task: TaskID) {
        guard let handler = inCall.removeValue(forKey: task) else { return }
        if let returned = table.endCall(of: task) {
            if returned != handler { problems.append("\(returned) was released by the call of \(handler)") }
            release(returned)
        } else {
            problems.append("\(handler) was not released by its call")
        }
    }

    private mutating func release(_ handler: Int) {
        if !released.insert(handler).inserted { problems.append("\(handler) was released twice") }
        if inCall.values.contains(handler) { problems.append("\(handler) was released while in use") }
    }
}
