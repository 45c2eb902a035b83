// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Lists of pending and running work are copies of the scheduler's state")
struct ListingTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard(), .mail())

    @Test(.proves(39)) func `the list of a plugin without pending requests is empty`() {
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        #expect(host.scheduler.pendingRequests(of: .app).isEmpty)
        #expect(host.scheduler.pendingRequests(of: "com.example.stranger").isEmpty)
    }

    @Test(.proves(39)) func `a plugin's list contains its own and its extensions' requests, oldest first`() {
        host.submit(.vacuum, after: .hours(1))
        host.submit(.sweep, after: .hours(1), by: .plugin(.mail))
        host.submit(.clean, after: .hours(1), by: .plugin(.keyboard))
        let names = host.scheduler.pendingRequests(of: .app).map(\.request.identifier)
        #expect(names == [.vacuum, .clean])
        #expect(host.scheduler.pendingRequests(of: .keyboard).map(\.request.identifier) == names)
        #expect(host.scheduler.pendingRequests(of: .app).last?.submitter == .plugin(.keyboard))
        #expect(host.scheduler.pendingCount == 3)
    }

    @Test(.proves("C13"))
    func `a waiting processing and a waiting continued request are listed once each, in the lanes of their kinds`() {
        host.install(.studio(extensions: [.keyboard]))
        host.finishStarting()
        host.change(busy: true)
        host.submit(.clean, after: .hours(1))
        host.submitContinued()
        let listed = Lane.allCases.map { lane in host.scheduler.waiting(in: lane, at: host.clock.now).map(\.work.label)
        }
        #expect(listed == [["com.example.app.clean"], [], ["com.example.app.export.album1"], []])
    }

    @Test(.proves(27))
    func `a pending request equals the submitted one in every field, and its payload is stored`() throws {
        let begin = host.clock.now.wall + .hours(1)
        let answer = host.submit(.clean, at: begin, needsPower: true, needsNetwork: true, payload: [1, 2, 3])
        let number = try #require(answer?.submission)
        let expected = PendingRequest(
            plugin: .app,
            number: number,
            request: TaskRequest(
                identifier: .clean,
                kind: .processing,
                earliestBegin: begin,
                requiresNetwork: true,
                requiresExternalPower: true
            ),
            submitter: .plugin(.app),
            submittedAt: host.clock.now.wall
        )
        #expect(host.scheduler.pendingRequests == [expected])
        #expect(host.ledger.payload(of: number) == [1, 2, 3])
    }

    @Test(.proves(40)) func `changing a listed request does not change the scheduler`() throws {
        host.submit(.clean, after: .hours(1))
        var copy = try #require(host.scheduler.pendingRequests(of: .app).first)
        copy.retry.attempts = 2
        #expect(host.scheduler.pendingRequests(of: .app).first?.retry == Retry())
    }

    @Test(.proves(41)) func `running tasks are listed separately from pending requests`() throws {
        host.submit(.clean, after: .minutes(1))
        host.submit(.vacuum, after: .minutes(1))
        host.submit(.index, after: .hours(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.complete(.clean)
        #expect(host.pending == [.index])
        let launch = try #require(host.scheduler.runningLaunches.first)
        #expect(launch.plan == host.lastPlan)
        #expect(launch.unfinished.map(\.work.identifier) == [.vacuum] && !launch.isExpiring)
        host.simulateExpiration(of: .vacuum)
        #expect(host.scheduler.runningLaunches.first?.isExpiring == true)
    }

    @Test(.proves(41)) func `a launch whose tasks have ended is listed as stopping until its process has ended`() {
        host.processesObey = false
        host.submit(.clean)
        host.enter()
        #expect(host.scheduler.runningLaunches.map(\.isStopping) == [false])
        host.complete(.clean)
        #expect(host.scheduler.runningLaunches.map(\.isStopping) == [true])
        host.exit()
        #expect(host.scheduler.runningLaunches.isEmpty)
    }

    @Test(.proves(41)) func `a launch is listed as running from its commit to its end`() {
        host.runners = .held
        host.submit(.clean)
        host.commits = .held
        host.bringRunners()
        #expect(host.scheduler.runningLaunches.isEmpty)
        host.writeHeldCommits()
        #expect(host.scheduler.runningLaunches.count == 1)
        host.runToTheEnd()
        #expect(host.scheduler.runningLaunches.isEmpty)
    }
}
