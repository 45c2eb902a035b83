// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("What is soft holds nothing back for more than two days")
struct PatienceTests {
    let host = SchedulerDriver(
        .studio(),
        .mail(),
        conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
    )

    /// Fails unless it runs exactly then, and not before.
    private func expectRun(of identifier: TaskIdentifier, in duration: Duration, _ host: SchedulerDriver? = nil) {
        let host = host ?? self.host
        host.advance(by: duration - .nanoseconds(1))
        #expect(!host.running.contains(identifier), "it runs too early")
        host.advance(by: .nanoseconds(1))
        #expect(host.running.contains(identifier), "it does not run: \(host.reasons(identifier))")
    }

    @Test(.proves("C12")) func `held back by use of the machine it runs after two days, to the moment`() {
        host.submit(.clean)
        expectRun(of: .clean, in: .days(2))
    }

    @Test(.proves("C12")) func `so does a refresh that load holds back, and a continued task`() {
        host.change(busy: true)
        host.submit(.feed, as: .refresh)
        host.submitContinued()
        expectRun(of: .feed, in: .days(2))
        #expect(host.running.contains(.album(1)))
    }

    @Test(.proves("C12")) func `its patience begins with the first moment at which nothing hard stood against it`() {
        host.change(power: false)
        host.submit(.clean, needsPower: true)
        host.advance(by: .days(3))
        #expect(host.reasons(.clean) == [.externalPower, .notIdle])
        host.change(power: true)
        expectRun(of: .clean, in: .days(2))
    }

    @Test(.proves("C12")) func `what is hard later takes none of it back`() {
        host.submit(.clean, needsPower: true)
        host.advance(by: .days(1))
        host.change(power: false)
        host.advance(by: .days(5))
        #expect(host.reasons(.clean) == [.externalPower])
        host.change(power: true)
        #expect(host.running == [.clean])
    }

    @Test(.proves("C12")) func `its earliest begin is waited for first`() {
        host.submit(.clean, after: .days(3))
        expectRun(of: .clean, in: .days(5))
    }

    @Test(.proves("C12")) func `restarts and reboots take none of it`() {
        host.submit(.clean)
        host.advance(by: .hours(20))
        host.restart(after: .hours(4))
        host.advance(by: .hours(3))
        host.restart(after: .hours(1), rebooting: true)
        #expect(host.reasons(.clean).map(\.code) == ["not-idle"])
        expectRun(of: .clean, in: .hours(20))
    }

    @Test(.proves("C12")) func `a patience that ended while the host was down is over when it is back`() {
        host.submit(.clean)
        host.advance(by: .seconds(1))
        host.restart(after: .days(2))
        #expect(host.running == [.clean])
    }

    @Test(.proves("C12")) func `patience overrules the spread, the rest and the day as well`() {
        let host = SchedulerDriver(
            .app(),
            conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
        ) { $0.policies.spread = .hours(1) }
        host.submit(.clean)
        host.advance(by: .days(2) - .seconds(1))
        host.send(.resumed)
        expectRun(of: .clean, in: .seconds(1), host)
    }

    @Test(.proves("C12")) func `rest and spread alone are no reason for impatience`() {
        host.change(idle: true)
        host.submit(.clean)
        host.runToTheEnd()
        host.submit(.vacuum)
        #expect(host.reasons(.vacuum).map(\.code) == ["spacing"])
        #expect(host.deferralStart(of: .vacuum) == nil)
    }

    @Test(.proves("C12")) func `once its lane is free again it runs`() {
        host.submit(.clean)
        host.advance(by: .days(2) - .seconds(10))
        host.submit(.feed, as: .refresh)
        host.enter()
        host.advance(by: .seconds(20))
        #expect(host.running == [.feed] && host.reasons(.clean).map(\.code) == ["lane-busy"])
        host.complete(.feed)
        #expect(host.running == [.clean])
    }

    @Test(.proves("C12")) func `a newer submission begins with patience of its own`() {
        host.submit(.clean)
        host.advance(by: .days(1))
        host.submit(.clean)
        expectRun(of: .clean, in: .days(2))
    }

    @Test(.proves("C12")) func `one that was interrupted keeps what it had`() {
        host.submit(.clean)
        host.advance(by: .days(2))
        host.enter()
        host.crash()
        expectRun(of: .clean, in: .seconds(10))
    }

    @Test(.proves("C12")) func `a deferral that could not be written is written later`() throws {
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

    @Test(.proves("C12")) func `a host that died before it could write the beginning counts anew`() {
        host.commits = .held
        host.isStrict = false
        host.submit(.clean)
        host.writeNextCommit()
        host.commits = .written
        host.restart(after: .hours(1))
        expectRun(of: .clean, in: .days(2))
    }

    @Test(.proves("C12")) func `a clock that is set back adds two days at the most`() {
        host.submit(.clean)
        host.advance(by: .days(1))
        host.stepWallClock(by: -.days(400))
        expectRun(of: .clean, in: .days(2))
    }

    @Test(.proves("C12"))
    func `a deferral that began by a clock that was ahead counts from the moment that it was set back`() {
        host.submit(.clean)
        host.advance(by: .seconds(1))
        host.stepWallClock(by: -.days(400))
        #expect(host.deferralStart(of: .clean) == host.clock.now.wall)
        expectRun(of: .clean, in: .days(2))
    }

    @Test(.proves("C12")) func `a clock that is set back lets a deferral that was over cover nothing more`() {
        host.submit(.clean, needsPower: true)
        host.advance(by: .seconds(1))
        host.change(power: false)
        host.advance(by: .seconds(1))
        host.submit(.vacuum, needsPower: true)
        host.stepWallClock(by: -.days(1))
        host.submit(.job(1), needsPower: true)
        #expect(host.deferralStart(of: .clean) == host.clock.now.wall)
        #expect(host.deferralStart(of: .vacuum) == nil && host.deferralStart(of: .job(1)) == nil)
        host.advance(by: .days(1))
        host.change(power: true)
        expectRun(of: .vacuum, in: .days(2))
    }

    @Test(.proves("C12")) func `one period stands for all requests of a class, each from when it became due`() {
        let start = host.clock.now.wall
        for number in 1...5 { host.submit(.job(number)) }
        host.advance(by: .hours(1))
        host.submit(.vacuum)
        #expect((1...5).allSatisfy { host.deferralStart(of: .job($0)) == start })
        #expect(host.deferralStart(of: .vacuum) == start + .hours(1))
        #expect(host.ledger.deferrals.values.map { $0 } == [[DeferralPeriod(since: start)]])
    }

    @Test(.proves("C12")) func `a restart keeps the deferrals of a class that was deferred several times`() {
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

    @Test(.proves("C12")) func `switched off it waits for ever`() {
        let host = SchedulerDriver(
            .app(),
            conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
        ) { $0.policies.off = [.patience] }
        host.submit(.clean)
        host.advance(by: .days(30))
        #expect(host.running.isEmpty && host.reasons(.clean) == [.notIdle])
    }

    // MARK: C13, the verdicts

    private func verdicts(_ identifier: TaskIdentifier) -> [PolicyVerdict] {
        for case .pending(_, _, let verdicts) in host.explain(identifier).states { return verdicts }
        return []
    }

    @Test(.proves("C13")) func `why shows what each policy says and by what it goes`() throws {
        host.submit(.clean)
        host.advance(by: .hours(12))
        #expect(verdicts(.clean).map(\.policy) == Policy.allCases)
        let idle = try #require(verdicts(.clean).first { $0.policy == .idle })
        #expect(idle.verdict == .wait(.notIdle) && idle.rationale == "the machine is in use")
        let patience = try #require(verdicts(.clean).first { $0.policy == .patience })
        #expect(patience.verdict == .may)
        #expect(patience.rationale == "deferred by advisory policies for 12h; runs regardless after 2d")
    }

    @Test(.proves("C13")) func `the policies that wait are the soft reasons`() {
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

    @Test(.proves("C13")) func `what is not pending has no verdicts`() {
        host.submit(.feed, as: .refresh)
        #expect(verdicts(.feed).isEmpty && verdicts(.clean).isEmpty)
    }
}
