// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A continued request that cannot run at once is queued or refused, according to its strategy")
struct SubmissionStrategyTests {
    let host = SchedulerDriver(.studio(), .mail()) { $0.continuedLaunches = 1 }

    @Test(.proves(73)) func `continued requests without capacity wait and run in the order of submission`() {
        for number in 1...3 { host.submitContinued(.album(number)) }
        #expect(host.reasons(.album(2)) == [.launchLimit(.continued, limit: 1)])
        host.runToTheEnd()
        #expect(host.lastPlan?.identifiers == [.album(2)])
        host.runToTheEnd()
        #expect(host.lastPlan?.identifiers == [.album(3)])
        host.runToTheEnd()
        #expect(host.pending.isEmpty && host.scheduler.runningLaunches.isEmpty)
    }

    @Test(.proves(73)) func `a continued request waits for the capacity that another plugin occupies`() {
        host.submitContinued(.inbox)
        host.submitContinued(.album(1))
        #expect(host.plans.count == 1)
        host.runToTheEnd()
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves(73)) func `a continued request under high load waits and runs when the load is gone`() {
        host.change(busy: true)
        host.submitContinued()
        #expect(host.reasons(.album(1)) == [.highLoad])
        host.change(busy: false)
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves(74))
    func `a continued request with strategy fail is refused with error 4 when no capacity is free`() {
        host.submitContinued(.album(1))
        let refusal = host.submitContinued(.album(2), strategy: .fail)?.refusal
        #expect(refusal?.code == .immediateRunIneligible && refusal?.subReason == .noCapacityNow)
        #expect(host.pending.isEmpty)
    }

    @Test(.proves(74), arguments: ["load", "memory", "heat"])
    func `a continued request with strategy fail is refused with error 4 under load, memory pressure or heat`(
        _ trouble: String
    ) {
        host.change(busy: trouble == "load", memoryLow: trouble == "memory", hot: trouble == "heat")
        #expect(host.submitContinued(strategy: .fail)?.refusal?.code == .immediateRunIneligible)
    }

    @Test(.proves(74)) func `a continued request with strategy fail runs at once when capacity is free`() {
        #expect(host.submitContinued(strategy: .fail)?.refusal == nil)
        #expect(host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves(74))
    func `a continued request with strategy fail that joins a continued launch requires no further capacity`() {
        host.submitContinued(.album(1))
        host.enter(registering: [.album(1), .album(2)])
        #expect(host.submitContinued(.album(2), strategy: .fail, from: host.lastPlan)?.refusal == nil)
        #expect(host.deliveries == [.album(2)])
    }

    @Test(.proves(74))
    func `a continued request with strategy fail from a launch in another lane requires continued capacity`() {
        let plan = host.openByUser()
        host.submitContinued(.inbox)
        let answer = host.submitContinued(.album(1), strategy: .fail, from: plan)
        #expect(answer?.refusal?.code == .immediateRunIneligible)
    }

    @Test(.proves(74))
    func `a continued request with strategy fail from a stopping launch gets a launch of its own if capacity is free`()
    {
        host.processesObey = false
        host.submitContinued(.album(1))
        let first = host.lastPlan
        host.enter(registering: [.album(1), .album(2)])
        host.complete(.album(1))
        #expect(host.submitContinued(.album(2), strategy: .fail, from: first)?.refusal == nil)
        #expect(host.deliveries.isEmpty && host.lastPlan?.identifiers == [.album(2)])
        let refused = host.submitContinued(.album(3), strategy: .fail, from: first)?.refusal
        #expect(refused?.subReason == .noCapacityNow)
    }

    @Test(.proves(74))
    func `a continued request whose submitting launch stops before its commit uses capacity of its own`() {
        host.processesObey = false
        host.submitContinued(.album(1))
        let first = host.lastPlan
        host.enter(registering: [.album(1), .album(2)])
        host.commits = .held
        host.submitContinued(.album(2), strategy: .fail, from: first)
        host.complete(.album(1), in: first)
        let refused = host.submitContinued(.inbox, strategy: .fail)?.refusal
        #expect(refused?.subReason == .noCapacityNow)
        host.writeHeldCommits()
        #expect(host.lastPlan?.identifiers == [.album(2)] && host.pending.isEmpty)
        host.processesObey = true
        host.end(first, .exited(code: 0))
        host.runToTheEnd()
        #expect(host.submitContinued(.inbox, strategy: .fail)?.refusal == nil)
    }

    @Test(.proves(74))
    func `at capacity one, a continued request with strategy fail is refused while another is uncommitted`() {
        host.commits = .held
        #expect(host.submitContinued(.album(1), strategy: .fail) == nil)
        #expect(host.submitContinued(.album(2), strategy: .fail)?.refusal?.subReason == .noCapacityNow)
        host.writeHeldCommits()
        #expect(host.lastPlan?.identifiers == [.album(1)] && host.pending.isEmpty)
    }

    @Test(.proves(74))
    func `a continued request with strategy fail is refused while an uncommitted request occupies the capacity`() {
        host.commits = .held
        host.submitContinued(.inbox)
        #expect(host.submitContinued(.album(1), strategy: .fail)?.refusal?.code == .immediateRunIneligible)
    }

    @Test(.proves(74)) func `the capacity of a continued request whose commit failed is free again`() {
        host.commits = .held
        host.submitContinued(.album(1), strategy: .fail)
        host.failNextCommit()
        #expect(host.submitContinued(.album(2), strategy: .fail) == nil)
        host.writeHeldCommits()
        #expect(host.lastPlan?.identifiers == [.album(2)])
    }

    @Test(.proves(74))
    func `two uncommitted continued requests with strategy fail can join the continued launch that submitted them`() {
        host.submitContinued(.album(1))
        host.enter(registering: [.album(1), .album(2), .album(3)])
        let plan = host.lastPlan
        host.commits = .held
        #expect(host.submitContinued(.album(2), strategy: .fail, from: plan) == nil)
        #expect(host.submitContinued(.album(3), strategy: .fail, from: plan) == nil)
        host.writeHeldCommits()
        #expect(host.deliveries == [.album(2), .album(3)])
    }

    @Test(.proves(74))
    func `a continued request with strategy queue and a processing request are accepted despite load and heat`() {
        host.submitContinued(.album(1))
        host.change(power: false, network: false, busy: true, memoryLow: true, hot: true)
        #expect(host.submitContinued(.album(2))?.refusal == nil)
        #expect(host.submit(.clean, needsPower: true, needsNetwork: true)?.refusal == nil)
    }

    @Test(.proves(74))
    func `a launch that will move to the continued lane occupies capacity there before the move is committed`() {
        let plan = host.openByUser()
        host.commits = .held
        host.submitContinued(.album(1), from: plan)
        host.writeNextCommit()
        #expect(host.submitContinued(.inbox, strategy: .fail)?.refusal?.subReason == .noCapacityNow)
        host.failNextCommit()
        #expect(host.submitContinued(.inbox, strategy: .fail) == nil)
        host.writeHeldCommits()
        #expect(host.lastPlan?.identifiers == [.inbox])
    }

    @Test(.proves(74))
    func `a launch that crashes during the delivery of a continued task occupies no capacity of the continued lane`() {
        let plan = host.openByUser()
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
