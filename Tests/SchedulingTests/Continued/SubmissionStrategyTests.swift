// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A continued request that cannot run at once queues or fails, as it says")
struct SubmissionStrategyTests {
    let host = SchedulerDriver(.studio(), .mail()) { $0.continuedLaunches = 1 }

    @Test(.proves(73)) func `without room it goes to the back of the queue`() {
        for number in 1...3 { host.submitContinued(.album(number)) }
        #expect(host.reasons(.album(2)) == [.launchLimit(.continued, limit: 1)])
        host.runToTheEnd()
        #expect(host.lastPlan?.identifiers == [.album(2)])
        host.runToTheEnd()
        #expect(host.lastPlan?.identifiers == [.album(3)])
        host.runToTheEnd()
        #expect(host.pending.isEmpty && host.scheduler.runningLaunches.isEmpty)
    }

    @Test(.proves(73)) func `another plugin's place is waited for as well`() {
        host.submitContinued(.inbox)
        host.submitContinued(.album(1))
        #expect(host.plans.count == 1)
        host.runToTheEnd()
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves(73)) func `under high load it is queued and runs when the load is gone`() {
        host.change(busy: true)
        host.submitContinued()
        #expect(host.reasons(.album(1)) == [.highLoad])
        host.change(busy: false)
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves(74)) func `strategy fail without room is error 4`() {
        host.submitContinued(.album(1))
        let refusal = host.submitContinued(.album(2), strategy: .fail)?.refusal
        #expect(refusal?.code == .immediateRunIneligible && refusal?.subReason == .noRoomNow)
        #expect(host.pending.isEmpty)
    }

    @Test(.proves(74), arguments: ["load", "memory", "heat"])
    func `strategy fail on a machine that has no capacity is error 4`(_ trouble: String) {
        host.change(busy: trouble == "load", memoryLow: trouble == "memory", hot: trouble == "heat")
        #expect(host.submitContinued(strategy: .fail)?.refusal?.code == .immediateRunIneligible)
    }

    @Test(.proves(74)) func `strategy fail with room runs at once`() {
        #expect(host.submitContinued(strategy: .fail)?.refusal == nil)
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves(74)) func `strategy fail needs no room of its own in a continued launch`() {
        host.submitContinued(.album(1))
        host.enter(registering: [.album(1), .album(2)])
        #expect(host.submitContinued(.album(2), strategy: .fail, from: host.lastPlan)?.refusal == nil)
        #expect(host.deliveries == [.album(2)])
    }

    @Test(.proves(74)) func `strategy fail from a background launch needs room in the continued lane`() {
        let plan = host.openByPerson()
        host.submitContinued(.inbox)
        let answer = host.submitContinued(.album(1), strategy: .fail, from: plan)
        #expect(answer?.refusal?.code == .immediateRunIneligible)
    }

    @Test(.proves(74))
    func `of two with strategy fail that come before the first is written one has the room, the other error 4`() {
        host.commits = .held
        #expect(host.submitContinued(.album(1), strategy: .fail) == nil)
        #expect(host.submitContinued(.album(2), strategy: .fail)?.refusal?.subReason == .noRoomNow)
        host.writeHeldCommits()
        #expect(host.lastPlan?.identifiers == [.album(1)] && host.pending.isEmpty)
    }

    @Test(.proves(74)) func `one that waits for its turn to be written counts as well, whatever its strategy`() {
        host.commits = .held
        host.submitContinued(.inbox)
        #expect(host.submitContinued(.album(1), strategy: .fail)?.refusal?.code == .immediateRunIneligible)
    }

    @Test(.proves(74)) func `the room of one that could not be written is free again`() {
        host.commits = .held
        host.submitContinued(.album(1), strategy: .fail)
        host.failNextCommit()
        #expect(host.submitContinued(.album(2), strategy: .fail) == nil)
        host.writeHeldCommits()
        #expect(host.lastPlan?.identifiers == [.album(2)])
    }

    @Test(.proves(74)) func `those that join the continued launch that submits them take no room from each other`() {
        host.submitContinued(.album(1))
        host.enter(registering: [.album(1), .album(2), .album(3)])
        let plan = host.lastPlan
        host.commits = .held
        #expect(host.submitContinued(.album(2), strategy: .fail, from: plan) == nil)
        #expect(host.submitContinued(.album(3), strategy: .fail, from: plan) == nil)
        host.writeHeldCommits()
        #expect(host.deliveries == [.album(2), .album(3)])
    }

    @Test(.proves(74)) func `no other strategy and no other kind knows error 4`() {
        host.submitContinued(.album(1))
        host.change(power: false, network: false, busy: true, memoryLow: true, hot: true)
        #expect(host.submitContinued(.album(2))?.refusal == nil)
        #expect(host.submit(.clean, needsPower: true, needsNetwork: true)?.refusal == nil)
    }

    @Test(.proves(74)) func `a launch on its way into the continued lane takes its capacity before that is recorded`() {
        let plan = host.openByPerson()
        host.commits = .held
        host.submitContinued(.album(1), from: plan)
        host.writeNextCommit()
        #expect(host.submitContinued(.inbox, strategy: .fail)?.refusal?.subReason == .noRoomNow)
        host.failNextCommit()
        #expect(host.submitContinued(.inbox, strategy: .fail) == nil)
        host.writeHeldCommits()
        #expect(host.lastPlan?.identifiers == [.inbox])
    }

    @Test(.proves(74))
    func `a launch that ends while a task is delivered to it takes no capacity of the continued lane`() {
        let plan = host.openByPerson()
        host.commits = .held
        host.submitContinued(.album(1), from: plan)
        host.writeNextCommit()
        host.crash(plan)
        host.writeNextCommit()
        #expect(host.submitContinued(.inbox, strategy: .fail)?.refusal == nil)
        host.writeHeldCommits()
        #expect(host.plans.last?.identifiers == [.inbox])
    }
}
