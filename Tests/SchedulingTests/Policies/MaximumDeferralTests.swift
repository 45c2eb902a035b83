// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Advisory reasons delay a request for at most two days, the maximum deferral")
struct MaximumDeferralTests {
    let host = SchedulerDriver(
        .studio(),
        .mail(),
        conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
    )

    /// Records an issue unless the task starts exactly after the duration, and not before.
    private func expectRun(of identifier: TaskIdentifier, in duration: Duration, _ host: SchedulerDriver? = nil) {
        let host = host ?? self.host
        host.advance(by: duration - .nanoseconds(1))
        #expect(!host.running.contains(identifier), "it runs too early")
        host.advance(by: .nanoseconds(1))
        #expect(host.running.contains(identifier), "it does not run: \(host.reasons(identifier))")
    }

    @Test(.proves("C12")) func `processing on a machine in use runs after exactly two days`() {
        host.submit(.clean)
        expectRun(of: .clean, in: .days(2))
    }

    @Test(.proves("C12")) func `a refresh and a continued task under high load run after exactly two days`() {
        host.change(busy: true)
        host.submit(.feed, as: .refresh)
        host.submitContinued()
        host.advance(by: .days(2) - .nanoseconds(1))
        #expect(host.running.isEmpty)
        expectRun(of: .feed, in: .nanoseconds(1))
        #expect(host.running.contains(.album(1)))
    }

    @Test(.proves("C12")) func `the maximum deferral of a request begins when its last required reason has ended`() {
        host.change(power: false)
        host.submit(.clean, needsPower: true)
        host.advance(by: .days(3))
        #expect(host.reasons(.clean) == [.externalPower, .notIdle])
        host.change(power: true)
        expectRun(of: .clean, in: .days(2))
    }

    @Test(.proves("C12")) func `a later required reason does not restart the maximum deferral of a request`() {
        host.submit(.clean, needsPower: true)
        host.advance(by: .days(1))
        host.change(power: false)
        host.advance(by: .days(5))
        #expect(host.reasons(.clean) == [.externalPower])
        host.change(power: true)
        #expect(host.running == [.clean])
    }

    @Test(.proves("C12"))
    func `a cancellation whose commit fails does not restart the maximum deferral of the request`() {
        host.submit(.clean)
        host.advance(by: .hours(1))
        host.commits = .held
        host.cancel(.clean)
        host.change(memoryLow: true)
        host.change(memoryLow: false)
        host.failNextCommit()
        host.writeHeldCommits()
        expectRun(of: .clean, in: .days(2) - .hours(1))
    }

    @Test(.proves("C12")) func `the maximum deferral of a request begins at its earliest begin`() {
        host.submit(.clean, after: .days(3))
        expectRun(of: .clean, in: .days(5))
    }

    @Test(.proves("C12")) func `the maximum deferral of a request continues over restarts and reboots`() {
        host.submit(.clean)
        host.advance(by: .hours(20))
        host.restart(after: .hours(4))
        host.advance(by: .hours(3))
        host.restart(after: .hours(1), rebooting: true)
        #expect(host.reasons(.clean).map(\.code) == ["not-idle"])
        expectRun(of: .clean, in: .hours(20))
    }

    @Test(.proves("C12"))
    func `a request whose maximum deferral ended while the host was down runs after the restart`() {
        host.submit(.clean)
        host.advance(by: .seconds(1))
        host.restart(after: .days(2))
        #expect(host.running == [.clean])
    }

    @Test(.proves("C12")) func `the maximum deferral overrides the stagger after a resume`() {
        let host = SchedulerDriver(
            .app(),
            conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
        ) { $0.policies.stagger = .hours(1) }
        host.submit(.clean)
        host.advance(by: .days(2) - .seconds(1))
        host.send(.resumed)
        expectRun(of: .clean, in: .seconds(1), host)
    }

    @Test(.proves("C12")) func `a request that waits only for the spacing has no deferral`() {
        host.change(idle: true)
        host.submit(.clean)
        host.runToTheEnd()
        host.submit(.vacuum)
        #expect(host.reasons(.vacuum).map(\.code) == ["spacing"])
        #expect(host.deferralStart(of: .vacuum) == nil)
    }

    @Test(.proves("C12"))
    func `a request whose maximum deferral ended while its lane was busy runs when the lane is free`() {
        host.submit(.clean)
        host.advance(by: .days(2) - .seconds(10))
        host.submit(.feed, as: .refresh)
        host.enter()
        host.advance(by: .seconds(20))
        #expect(host.running == [.feed] && host.reasons(.clean).map(\.code) == ["lane-busy"])
        host.complete(.feed)
        #expect(host.running == [.clean])
    }

    @Test(.proves("C12")) func `a replacement begins with a full maximum deferral`() {
        host.submit(.clean)
        host.advance(by: .days(1))
        host.submit(.clean)
        expectRun(of: .clean, in: .days(2))
    }

    @Test(.proves("C12")) func `a requeued request keeps its ended maximum deferral and runs after the retry delay`() {
        host.submit(.clean)
        host.advance(by: .days(2))
        host.enter()
        host.crash()
        expectRun(of: .clean, in: .seconds(10))
    }

    @Test(.proves("C12"))
    func `the start of a deferral whose commit failed is recorded later with the original time`() throws {
        host.submit(.clean)
        let start = host.clock.now.wall
        host.isStrict = false
        host.commits = .failing
        host.advance(by: .seconds(1))
        #expect(host.ledger.deferrals.isEmpty)
        host.commits = .written
        host.advance(by: .seconds(1))
        #expect(host.ledger.deferrals.values.map { $0 } == [[DeferralPeriod(since: start)]])
        expectRun(of: .clean, in: .days(2) - .seconds(2))
    }

    @Test(.proves("C12")) func `a deferral begins anew after a restart if its start was not recorded`() {
        host.commits = .held
        host.isStrict = false
        host.submit(.clean)
        host.writeNextCommit()
        host.commits = .written
        host.restart(after: .hours(1))
        expectRun(of: .clean, in: .days(2))
    }

    @Test(.proves("C12")) func `a deferred request runs two days after a step back of the clock by 400 days`() {
        host.submit(.clean)
        host.advance(by: .days(1))
        host.stepWallClock(by: -.days(400))
        expectRun(of: .clean, in: .days(2))
    }

    @Test(.proves("C12"))
    func `a deferral whose start is in the future after a step back of the clock starts at the new time`() {
        host.submit(.clean)
        host.advance(by: .seconds(1))
        host.stepWallClock(by: -.days(400))
        #expect(host.deferralStart(of: .clean) == host.clock.now.wall)
        expectRun(of: .clean, in: .days(2))
    }

    @Test(.proves("C12"))
    func `an ended deferral does not count for a later request of its class, even after a step back of the clock`() {
        host.submit(.clean, needsPower: true)
        host.advance(by: .seconds(1))
        host.change(power: false)
        host.advance(by: .seconds(1))
        host.submit(.vacuum, needsPower: true)
        host.stepWallClock(by: -.days(1))
        host.submit(.job(1), needsPower: true)
        #expect(host.deferralStart(of: .clean) == host.clock.now.wall + .nanoseconds(-1))
        #expect(host.deferralStart(of: .vacuum) == nil && host.deferralStart(of: .job(1)) == nil)
        host.advance(by: .days(1))
        host.change(power: true)
        expectRun(of: .vacuum, in: .days(2))
    }

    @Test(.proves("C12"))
    func `requests of one class share one recorded deferral, and each is deferred from its due time`() {
        let start = host.clock.now.wall
        for number in 1...5 { host.submit(.job(number)) }
        host.advance(by: .hours(1))
        host.submit(.vacuum)
        #expect((1...5).allSatisfy { host.deferralStart(of: .job($0)) == start })
        #expect(host.deferralStart(of: .vacuum) == start + .hours(1))
        #expect(host.ledger.deferrals.values.map { $0 } == [[DeferralPeriod(since: start)]])
    }

    @Test(.proves("C12")) func `several deferral periods of one class survive a restart`() {
        host.submit(.clean, needsPower: true)
        let start = host.clock.now.wall
        host.advance(by: .hours(1))
        host.change(power: false)
        host.advance(by: .seconds(1))
        host.submit(.vacuum, needsPower: true)
        host.advance(by: .hours(1))
        host.change(power: true)
        host.advance(by: .hours(1))
        host.restart(after: .minutes(1))
        #expect(host.deferralStart(of: .clean) == start)
        #expect(host.deferralStart(of: .vacuum) == start + .hours(2) + .seconds(1))
    }

    @Test(.proves("C12"))
    func `a request still waits for idleness after 30 days when the maximum deferral policy is switched off`() {
        let host = SchedulerDriver(
            .app(),
            conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
        ) { $0.policies.off = [.maximumDeferral] }
        host.submit(.clean)
        host.advance(by: .days(30))
        #expect(host.running.isEmpty && host.reasons(.clean) == [.notIdle])
    }

    // MARK: Verdicts (C13)

    private func verdicts(_ identifier: TaskIdentifier) -> [PolicyVerdict] {
        for case .pending(_, _, let verdicts) in host.explain(identifier).states { return verdicts }
        return []
    }

    @Test(.proves("C13"))
    func `the explanation of a pending request contains the verdict and the rationale of each policy`() throws {
        host.submit(.clean)
        host.advance(by: .hours(12))
        #expect(verdicts(.clean).map(\.policy) == Policy.allCases)
        let idle = try #require(verdicts(.clean).first { $0.policy == .idle })
        #expect(idle.verdict == .wait(.notIdle) && idle.rationale == "the machine is not known to be idle")
        let maximumDeferral = try #require(verdicts(.clean).first { $0.policy == .maximumDeferral })
        #expect(maximumDeferral.verdict == .may)
        #expect(maximumDeferral.rationale == "deferred by advisory policies for 12h; they no longer apply after 2d")
    }

    @Test(.proves("C13")) func `the wait verdicts of a request's policies equal its advisory reasons`() {
        host.change(busy: true)
        host.submit(.clean, needsPower: true)
        host.submit(.feed, as: .refresh)
        host.change(power: false)
        for identifier in [TaskIdentifier.clean, .feed] {
            let waits = verdicts(identifier).compactMap {
                if case .wait(let reason) = $0.verdict { reason } else { nil }
            }
            #expect(waits == host.reasons(identifier).filter(\.isAdvisory))
        }
    }

    @Test(.proves("C13")) func `running and unknown requests have no verdicts`() {
        host.submit(.feed, as: .refresh)
        #expect(verdicts(.feed).isEmpty && verdicts(.clean).isEmpty)
    }
}
