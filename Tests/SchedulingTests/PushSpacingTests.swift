// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Pushes are spaced by twenty minutes, also after restarts, and an interrupted one is not", .proves(85, "C21"))
struct PushSpacingTests {
    private func paced() -> SchedulerDriver {
        SchedulerDriver(.pushed()) { $0.policies.kindSpacing = PolicyConfiguration().kindSpacing }
    }

    @Test func `the spacing of pushes delays the next one by twenty minutes from the end of the last launch`() throws {
        let host = paced()
        host.push()
        host.runToTheEnd()
        let end = host.clock.now.wall
        host.push()
        #expect(host.reasons(.appPush) == [.kindSpacing(until: end + .minutes(20), .push, .minutes(20))])
        host.advance(by: .minutes(20))
        #expect(host.batches == [[.appPush], [.appPush]])
    }

    @Test func `the pushes of a steady sender are delivered three times in an hour`() {
        let host = paced()
        for _ in 1...59 {
            host.push()
            if let plan = host.lastPlan, host.processes[plan.number] != nil { host.runToTheEnd(plan) }
            host.advance(by: .minutes(1))
        }
        #expect(host.batches == [[.appPush], [.appPush], [.appPush]])
    }

    @Test func `launches that use their whole budget do not lengthen the spacing of pushes`() throws {
        let host = paced()
        for _ in 1...3 {
            host.push()
            host.enter(registering: [])
            host.advance(by: .seconds(31))
            host.complete(.appPush)
            host.push()
            let codes = host.reasons(.appPush).compactMap { reason in
                if case .kindSpacing(_, .push, let spacing) = reason { spacing } else { nil }
            }
            #expect(codes == [.minutes(20)])
            host.cancelAll()
            host.advance(by: .hours(1))
        }
    }

    @Test func `the spacing of pushes survives a restart of the host`() {
        let host = paced()
        host.push()
        host.runToTheEnd()
        let end = host.clock.now.wall
        host.restart(after: .minutes(1))
        host.push()
        #expect(host.reasons(.appPush).contains(.kindSpacing(until: end + .minutes(20), .push, .minutes(20))))
    }

    @Test func `a user's run of a waiting push overrides its spacing`() {
        let host = paced()
        host.push()
        host.runToTheEnd()
        host.advance(by: .minutes(1))
        host.push()
        host.requestRun(of: .appPush)
        #expect(host.batches.count == 2)
    }

    @Test func `an interrupted push is delivered again without the spacing`() {
        let host = paced()
        host.push()
        host.enter(registering: [])
        host.crash()
        host.advance(by: .seconds(30))
        #expect(host.batches == [[.appPush], [.appPush]])
    }

    @Test func `pushes that replace an interrupted one inherit its attempts, its delay and its end of the spacing`() {
        let host = paced()
        host.push()
        for delay in [Duration.seconds(10), .seconds(20)] {
            host.enter(registering: [])
            host.crash()
            host.push()
            let kinds = host.reasons(.appPush).map(\.kind)
            #expect(kinds.contains(.retryDelay) && !kinds.contains(.kindSpacing))
            host.advance(by: delay)
        }
        #expect(host.batches.count == 3 && host.lastPlan?.tasks.first?.work.retry.attempts == 2)
        host.enter(registering: [])
        host.crash()
        #expect(host.outcomes(of: .appPush) == [.crashed, .crashed, .abandoned] && host.pending.isEmpty)
    }

    @Test func `a push after an abandoned one begins with the first attempt, after the spacing`() throws {
        let host = paced()
        host.push()
        for delay in [Duration.seconds(10), .seconds(20), .zero] {
            host.enter(registering: [])
            host.crash()
            host.advance(by: delay)
        }
        #expect(host.pending.isEmpty)
        host.push()
        #expect(host.request(.appPush)?.retry == Retry())
        #expect(host.reasons(.appPush).map(\.kind) == [.kindSpacing])
    }
}
