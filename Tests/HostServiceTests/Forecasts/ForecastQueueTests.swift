// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Synchronization
import TaskLedger
import TaskModel
import Testing

@testable import HostService

@Suite("Forecasts have bounds")
struct ForecastQueueTests {
    @Test func `forecasts are computed one at a time, four wait, and a further one is refused`() async throws {
        let queue = ForecastQueue()
        let (began, mayEnd) = (Gate(), Gate())
        let running = RunningCount()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await queue.run {
                    began.open()
                    try await mayEnd.pass()
                    return true
                }
            }
            try await began.pass()
            // Of five calls, four wait and one is refused; their order does not matter.
            for _ in 0..<5 {
                group.addTask {
                    do {
                        return try await queue.run {
                            let others = running.begin()
                            #expect(others == 0)
                            await Task.yield()
                            running.end()
                            return true
                        }
                    } catch let refusal as RouteError {
                        #expect(refusal.status == 503 && refusal.reply.error.subReason == "too-many-forecasts")
                        mayEnd.open()
                        return false
                    }
                }
            }
            var results: [Bool] = []
            for try await result in group { results.append(result) }
            #expect(results.count(where: \.self) == 5 && results.count == 6)
        }
        #expect(try await queue.run { 1 } == 1)
    }

    @Test func `a read of more pending work than permitted lacks the last plugins and says so`() async throws {
        let ledger = try Ledger.inMemory()
        for index in 1...3 {
            let plugin = try #require(PluginIdentifier("com.example.plugin\(index)"))
            let request = PendingRequest(
                plugin: plugin,
                number: SubmissionNumber(rawValue: Int64(index)),
                request: TaskRequest(
                    identifier: try #require(TaskIdentifier("com.example.plugin\(index).task")),
                    kind: .refresh
                ),
                submitter: .user,
                submittedAt: WallTime(nanoseconds: 0)
            )
            try await ledger.commitAndWait([.storeRequest(request, payload: [])])
        }
        let whole = try ledger.wholeState(at: WallTime(nanoseconds: 0), mostWork: 3)
        #expect(whole.work.count == 3 && !whole.isCut)
        let part = try ledger.wholeState(at: WallTime(nanoseconds: 0), mostWork: 2)
        #expect(part.work.map(\.plugin.text) == ["com.example.plugin1", "com.example.plugin2"] && part.isCut)
    }
}

private final class RunningCount: Sendable {
    private let count = Mutex(0)

    /// Counts a forecast that begins; returns the number of those that run already.
    func begin() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }

    func end() { count.withLock { $0 -= 1 } }
}
