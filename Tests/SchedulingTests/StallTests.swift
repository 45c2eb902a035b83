// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A continued task runs as long as its progress exceeds every earlier report", .proves(77))
struct StallTests {
    let host = SchedulerDriver(.app())

    init() {
        let request = TaskRequest(identifier: .index, kind: .continued, continued: ContinuedTerms(title: "Export"))
        host.send(.submitted(Submission(request: request, submitter: .user), reply: ReplyToken(rawValue: 1_000)))
        host.enter()
    }

    private func report(_ done: Int64, of total: Int64) throws {
        let progress = try #require(TaskProgress(done: done, total: total))
        let plan = try #require(host.lastPlan)
        host.send(.progressed(plan.number, plan.tasks[0].id, progress))
    }

    @Test(.proves(77)) func `a continued task with rising progress does not expire`() throws {
        for done in 1...10 {
            host.advance(by: .seconds(29))
            try report(Int64(done), of: 10)
        }
        #expect(host.expirations.isEmpty)
    }

    @Test(.proves("BGT-ABI-08")) func `progress reported before entry returns does not delay the kill of the launch`()
        throws
    {
        let request = TaskRequest(identifier: .vacuum, kind: .continued, continued: ContinuedTerms(title: "Forged"))
        host.send(.submitted(Submission(request: request, submitter: .user), reply: ReplyToken(rawValue: 1_001)))
        host.advance(by: .milliseconds(10))
        try report(1, of: 10)
        host.advance(by: .seconds(30))
        #expect(host.killed.isEmpty)
        host.advance(by: .seconds(5))
        #expect(host.killed.contains(try #require(host.lastPlan).number))
    }

    @Test(.proves(77))
    func `a continued task whose progress alternates between two values expires after 30 seconds`() throws {
        try report(1, of: 10)
        for turn in 0..<29 {
            host.advance(by: .seconds(1))
            try report(Int64(turn % 2), of: 10)
        }
        #expect(host.expirations.isEmpty)
        host.advance(by: .seconds(1))
        #expect(host.expirations.map(\.reason) == [.noProgress])
    }

    @Test(.proves(77))
    func `a continued task's progress is its completed units, whatever the total`() throws {
        try report(5, of: 10)
        host.advance(by: .seconds(20))
        try report(50, of: 200)
        host.advance(by: .seconds(29))
        #expect(host.expirations.isEmpty)
        try report(5, of: 20)
        host.advance(by: .seconds(1))
        #expect(host.expirations.map(\.reason) == [.noProgress])
    }
}
