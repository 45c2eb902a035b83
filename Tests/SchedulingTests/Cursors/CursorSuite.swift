// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel
import Testing

/// A suite of tests of tasks with a cursor.
protocol CursorSuite {
    var host: SchedulerDriver { get }
}

extension CursorSuite {
    /// Submits the tasks, and lets their launch enter.
    func launch(_ identifiers: TaskIdentifier...) {
        for identifier in identifiers { host.submit(identifier) }
        host.enter()
    }

    /// Reports a write of the running task to its cursor.
    func write(_ identifier: TaskIdentifier, _ write: CursorWrite = .moved, reply: ReplyToken? = nil) throws {
        let plan = try #require(host.lastPlan)
        host.send(.cursorWritten(plan.number, try #require(host.task(identifier, of: plan)), write, reply: reply))
    }

    /// The retry state of the pending request.
    func retry(_ identifier: TaskIdentifier) throws -> Retry { try #require(host.request(identifier)).retry }

    /// The task is expired for its budget and completed as failed.
    func failAtExpiration(_ identifier: TaskIdentifier) {
        host.simulateExpiration(of: identifier)
        host.complete(identifier, as: .failure)
    }

    /// Waits for the launch after the one with the number, and lets it enter.
    func runAgain(after ended: LaunchNumber?) {
        wait(after: ended)
        host.enter()
    }

    /// Waits for the launch after the one with the number.
    func wait(after ended: LaunchNumber?) {
        for _ in 0..<7_200 where host.lastPlan?.number == ended { host.advance(by: .seconds(1)) }
    }

    /// Waits for the launch after the last one, and lets it enter.
    func runAgain() { runAgain(after: host.lastPlan?.number) }
}
