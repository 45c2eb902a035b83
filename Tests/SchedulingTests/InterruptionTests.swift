// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("An interrupted task is requeued and charged only for its own failures")
struct InterruptionTests {
    let host = SchedulerDriver(.app())

    private func launch(_ identifiers: TaskIdentifier...) {
        for identifier in identifiers { host.submit(identifier, after: .minutes(1)) }
        host.advance(by: .minutes(1))
        host.enter()
    }

    private func retry(_ identifier: TaskIdentifier) throws -> Retry { try #require(host.request(identifier)).retry }

    @Test(.proves("C3"))
    func `a launch that the host fails is killed, and its task is requeued with blame host and without a charge`()
        throws
    {
        host.processesObey = false
        host.submit(.clean)
        let launch = try #require(host.lastPlan?.number)
        host.send(.launchFailedByHost(launch, message: "no container"))
        #expect(host.killed == [launch])
        host.end(nil, .signaled(9))
        #expect(host.outcomes(of: .clean) == [.interrupted])
        #expect(host.lastEntry(of: .clean)?.blame == .host)
        #expect(try #require(host.request(.clean)).retry == Retry(wasInterrupted: true))
        #expect(host.reasons(.clean).map(\.code).contains("runner-unavailable"))
    }

    @Test(.proves("C3"))
    func `if the host fails a launch after the launch's last completion, the launch ends as completed, not killed`()
        throws
    {
        host.processesObey = false
        launch(.clean)
        host.complete(.clean)
        host.send(.launchFailedByHost(try #require(host.lastPlan).number, message: "no container"))
        #expect(host.killed.isEmpty)
        host.exit()
        #expect(host.launchOutcomes == [.completed])
    }

    @Test(.proves("C3")) func `a crash charges the only task of a launch and delays its next attempt`() throws {
        launch(.clean)
        host.crash()
        #expect(host.outcomes(of: .clean) == [.crashed])
        #expect(host.launchOutcomes == [.crashed])
        #expect(try retry(.clean).attempts == 1)
        #expect(try retry(.clean).notBefore == host.clock.now.wall + .seconds(10))
        #expect(host.lastLaunchEntry?.message.contains("SIGSEGV") == true)
    }

    @Test(.proves("C3")) func `an exit before completion charges the only task of a launch`() throws {
        launch(.clean)
        host.exit(code: 0)
        #expect(host.outcomes(of: .clean) == [.exited])
        #expect(try retry(.clean).attempts == 1)
    }

    @Test(.proves(61)) func `a kill for memory charges the only task and has its own outcome`() throws {
        launch(.clean)
        host.runOutOfMemory()
        #expect(host.outcomes(of: .clean) == [.killedForMemory])
        #expect(host.launchOutcomes == [.killedForMemory])
        #expect(try retry(.clean).attempts == 1)
    }

    @Test(.proves("C3"))
    func `a crash on the thread of one task charges that task and requeues the others to run alone`() throws {
        launch(.clean, .vacuum, .index)
        host.crash(on: .vacuum)
        #expect(host.outcomes(of: .vacuum) == [.crashed])
        #expect(host.outcomes(of: .clean) == [.interrupted])
        #expect(host.outcomes(of: .index) == [.interrupted])
        #expect(try retry(.vacuum).attempts == 1)
        #expect(try retry(.clean) == Retry(runsAlone: true, wasInterrupted: true))
    }

    @Test(.proves("C3")) func `a crash at an unknown place charges none of two running tasks`() throws {
        launch(.clean, .vacuum)
        host.crash()
        #expect(try retry(.clean).attempts == 0 && retry(.vacuum).attempts == 0)
        #expect(host.outcomes(of: .clean) == [.interrupted])
    }

    @Test(.proves("C3")) func `a crash on the thread of a completed task charges no task`() throws {
        launch(.clean, .vacuum)
        host.complete(.clean)
        host.crash(on: .clean)
        #expect(host.outcomes(of: .clean) == [.succeeded])
        #expect(try retry(.vacuum).attempts == 0)
    }

    @Test(.proves("C3"))
    func `tasks interrupted by a crash at an unknown place run one per launch afterwards`() {
        launch(.clean, .vacuum, .index)
        host.crash()
        for expected: TaskIdentifier in [.clean, .vacuum, .index] {
            host.advance(by: .seconds(1))
            #expect(host.lastPlan?.identifiers == [expected])
            host.runToTheEnd()
        }
        #expect(host.batches.count == 4)
    }

    @Test(.proves("C3")) func `a new request waits until the interrupted tasks that run alone have run`() {
        launch(.clean, .vacuum)
        host.crash()
        host.submit(.index)
        #expect(host.reasons(.index).contains(.othersRunAlone(first: TaskIdentifier.clean.text)))
        host.advance(by: .seconds(1))
        host.runToTheEnd()
        #expect(host.reasons(.index).contains(.othersRunAlone(first: TaskIdentifier.vacuum.text)))
        host.advance(by: .seconds(1))
        #expect(host.batches.dropFirst() == [[.clean], [.vacuum]])
        host.runToTheEnd()
        host.advance(by: .seconds(1))
        #expect(host.lastPlan?.identifiers == [.index])
    }

    @Test(.proves("C3")) func `a delayed task that must run alone does not block other requests`() {
        launch(.clean, .vacuum)
        host.crash(on: .clean)
        host.advance(by: .seconds(1))
        #expect(host.lastPlan?.identifiers == [.vacuum])
        host.runToTheEnd()
        host.submit(.index)
        host.advance(by: .seconds(1))
        #expect(host.lastPlan?.identifiers == [.index])
        host.runToTheEnd()
        host.advance(by: .seconds(8))
        #expect(host.lastPlan?.identifiers == [.clean])
    }

    @Test(.proves("C3")) func `the launch after a crash has cause relaunch`() {
        launch(.clean)
        host.crash()
        host.advance(by: .seconds(10))
        #expect(host.lastPlan?.cause == .relaunch)
    }

    @Test(.proves("C3")) func `the retry delay doubles with each charged attempt`() throws {
        launch(.clean)
        host.crash()
        host.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(host.plans.count == 1)
        host.advance(by: .nanoseconds(1))
        #expect(host.plans.count == 2)
        host.enter()
        host.crash()
        #expect(try retry(.clean).notBefore == host.clock.now.wall + .seconds(20))
        #expect(host.ledger.requests.first?.retry == (try retry(.clean)))
    }

    @Test(.proves("C3")) func `a request is abandoned after three charged attempts`() {
        launch(.clean)
        host.crash()
        for delay in [10, 20] {
            host.advance(by: .seconds(delay))
            host.enter()
            host.crash()
        }
        #expect(host.outcomes(of: .clean) == [.crashed, .crashed, .abandoned])
        #expect(host.lastEntry(of: .clean)?.message.contains("3 attempts") == true)
        #expect(host.pending.isEmpty)
        host.advance(by: .days(1))
        #expect(host.plans.count == 3)
    }

    @Test(.proves("C3")) func `a newer pending request supersedes the task that a crash interrupts`() throws {
        launch(.clean)
        let newer = try #require(host.submit(.clean, after: .hours(1))?.submission)
        host.crash()
        #expect(host.scheduler.pendingRequests.map(\.number) == [newer])
        #expect(try retry(.clean) == Retry())
        #expect(host.entries(.superseded).last?.label == TaskIdentifier.clean.text)
        #expect(host.entries(.superseded).map(\.successor) == [newer])
    }

    @Test(.proves("C3"))
    func `a request submitted during the commit that requeues an older task replaces that task`() throws {
        launch(.clean)
        let older = try #require(host.lastPlan?.tasks.first?.work.number)
        host.commits = .held
        host.crash()
        host.submit(.clean, after: .hours(1))
        host.writeHeldCommits()
        #expect(host.lastAnswer?.replaced == older)
        #expect(host.entries(.replaced).map(\.submission) == [older])
        #expect(host.pending == [.clean] && host.request(.clean)?.number == host.lastAnswer?.submission)
    }

    @Test(.proves("C3"))
    func `a newer request waits until the interruption of its predecessor is recorded, then runs and supersedes it`() {
        let host = SchedulerDriver(.studio())
        host.submitContinued(.album(1))
        host.enter()
        host.commits = .failing
        host.crash()
        host.commits = .written
        host.submitContinued(.album(1))
        #expect(host.plans.count == 1 && host.reasons(.album(1)).map(\.code) == ["being-recorded"])
        host.advance(by: .seconds(30))
        #expect(host.plans.count == 2 && host.running == [.album(1)])
        host.runToTheEnd()
        host.advance(by: .minutes(5))
        #expect(host.outcomes(of: .album(1)) == [.crashed, .succeeded])
        #expect(host.ledger.requests.isEmpty && host.plans.count == 2)
        #expect(host.entries(.superseded).count == 1)
    }

    @Test(.proves("C3"))
    func `when an interruption is recorded after two newer requests, the journal names the first as successor`() throws
    {
        let host = SchedulerDriver(.studio())
        host.submitContinued(.album(1))
        host.enter()
        host.commits = .failing
        host.crash()
        host.commits = .written
        let first = try #require(host.submitContinued(.album(1))?.submission)
        host.submitContinued(.album(1))
        host.advance(by: .seconds(30))
        #expect(host.entries(.superseded).map(\.successor) == [first])
    }

    @Test(.proves("C3"))
    func `if two running tasks with one identifier crash, the newer is requeued and supersedes the older`() throws {
        let host = SchedulerDriver(.studio())
        host.submitContinued(.album(1))
        let newer = try #require(host.submitContinued(.album(1))?.submission)
        #expect(host.processes.count == 2)
        host.crash(host.plans[1])
        host.crash(host.plans[0])
        #expect(host.ledger.requests.map(\.number) == [newer])
        #expect(host.entries(.superseded).last?.label == TaskIdentifier.album(1).text)
        #expect(host.entries(.superseded).map(\.successor) == [newer])
    }

    @Test(.proves("C3"))
    func `a newer request that replaces a requeued one starts without the delay and the attempts of that one`() throws {
        launch(.clean)
        host.crash()
        host.submit(.clean)
        #expect(try retry(.clean) == Retry())
        host.advance(by: .seconds(1))
        #expect(host.plans.count == 2)
        #expect(host.lastPlan?.cause == .due)
    }

    @Test(.proves("C3"))
    func `the other tasks of a launch that is killed after a lost condition are requeued together without a charge`()
        throws
    {
        host.submit(.clean, after: .minutes(1), needsPower: true)
        host.submit(.vacuum, after: .minutes(1))
        host.submit(.index, after: .minutes(1))
        host.advance(by: .minutes(1))
        host.enter()
        host.change(power: false)
        host.advance(by: .seconds(5))
        #expect(host.outcomes(of: .clean) == [.expired])
        #expect(host.outcomes(of: .vacuum) == [.interrupted])
        #expect(try retry(.vacuum) == Retry(wasInterrupted: true))
        host.advance(by: .seconds(30))
        #expect(host.lastPlan?.identifiers == [.vacuum, .index])
    }

    @Test(.proves("C3"))
    func `an exit with two open tasks charges neither, and each is marked to run alone`() throws {
        launch(.clean, .vacuum)
        host.exit(code: 3)
        for identifier: TaskIdentifier in [.clean, .vacuum] {
            #expect(host.outcomes(of: identifier) == [.interrupted])
            #expect(try retry(identifier) == Retry(runsAlone: true, wasInterrupted: true))
            let entry = try #require(host.lastEntry(of: identifier))
            #expect(entry.blame == .plugin)
            let cause = "the process exited with code 3 before all its tasks were completed"
            #expect(entry.message == "interrupted, no attempt charged: \(cause)")
            #expect(host.lastLaunchEntry?.message.hasPrefix(cause + "; used ") == true)
        }
        #expect(host.launchOutcomes == [.exited] && host.lastLaunchEntry?.blame == .plugin)
    }

    @Test(.proves("C3"))
    func `a kill for memory with two open tasks charges neither, and each is marked to run alone`() throws {
        launch(.clean, .vacuum)
        host.runOutOfMemory()
        for identifier: TaskIdentifier in [.clean, .vacuum] {
            #expect(host.outcomes(of: identifier) == [.interrupted])
            #expect(try retry(identifier) == Retry(runsAlone: true, wasInterrupted: true))
        }
        #expect(host.launchOutcomes == [.killedForMemory] && host.lastLaunchEntry?.blame == .plugin)
    }

    @Test(.proves("C3"))
    func `if a process exits after one of two tasks has completed, the other is requeued without a charge`() throws {
        launch(.clean, .vacuum)
        host.complete(.clean)
        host.exit(code: 0)
        #expect(host.outcomes(of: .clean) == [.succeeded] && host.outcomes(of: .vacuum) == [.interrupted])
        #expect(try retry(.vacuum) == Retry(runsAlone: true, wasInterrupted: true))
    }
}
