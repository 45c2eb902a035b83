// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Memory pressure expires continued tasks one by one, the least progressed first")
struct MemoryPressureTests {
    let host = SchedulerDriver(.studio(), .mail())

    private func start(_ identifier: TaskIdentifier, at percent: Int64?) -> LaunchPlan? {
        host.submitContinued(identifier)
        let plan = host.lastPlan
        host.enter()
        if let percent { host.progress(identifier, percent) }
        return plan
    }

    @Test(.proves(77))
    func `memory pressure expires the least progressed continued task, and the next one ten seconds later`() {
        let plans = [start(.album(1), at: 60), start(.inbox, at: 20), start(.album(2), at: 40)]
        host.change(memoryLow: true)
        #expect(host.expirations.map(\.tasks) == [[.inbox]])
        #expect(host.expirations.map(\.reason) == [.memoryPressure])
        host.complete(.inbox, as: .failure, in: plans[1])
        host.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(host.expirations.count == 1)
        host.advance(by: .nanoseconds(1))
        #expect(host.expirations.map(\.tasks) == [[.inbox], [.album(2)]])
    }

    @Test(.proves(77)) func `no further continued task expires after memory pressure has ended`() {
        _ = [start(.album(1), at: 60), start(.album(2), at: 40)]
        host.change(memoryLow: true)
        host.change(memoryLow: false)
        host.advance(by: .seconds(20))
        #expect(host.expirations.count == 1)
    }

    @Test(.proves(77)) func `a continued task without a progress report counts as the least progressed`() {
        _ = [start(.album(1), at: 1), start(.album(2), at: nil)]
        host.change(memoryLow: true)
        #expect(host.expirations.map(\.tasks) == [[.album(2)]])
    }

    @Test(.proves(77))
    func `the younger of two equally progressed continued tasks expires first under memory pressure`() {
        _ = [start(.album(1), at: 50), start(.album(2), at: 50)]
        host.change(memoryLow: true)
        #expect(host.expirations.map(\.tasks) == [[.album(2)]])
    }

    @Test(.proves(77))
    func `memory pressure that ends and returns repeatedly expires one continued task per ten seconds`() {
        let plans = [start(.album(1), at: 60), start(.album(2), at: 40)]
        host.change(memoryLow: true)
        host.complete(.album(2), as: .failure, in: plans[1])
        for _ in 1...5 {
            host.change(memoryLow: false)
            host.change(memoryLow: true)
        }
        #expect(host.expirations.count == 1)
        host.advance(by: .seconds(10))
        #expect(host.expirations.map(\.tasks) == [[.album(2)], [.album(1)]])
    }

    @Test(.proves(77)) func `a continued task whose entry returns during memory pressure expires`() {
        host.submitContinued()
        host.change(memoryLow: true)
        #expect(host.expirations.isEmpty)
        host.enter()
        #expect(host.expirations.map(\.reason) == [.memoryPressure])
    }

    @Test(.proves("C3")) func `a continued task that expired for memory pressure is not requeued after a crash`() {
        let plan = start(.album(1), at: 10)
        host.change(memoryLow: true)
        host.crash(plan, signal: 9)
        #expect(host.outcomes(of: .album(1)) == [.crashed] && host.pending.isEmpty)
    }

    @Test(.proves(77))
    func `memory pressure does not expire a processing task, and delays a new launch until the pressure ends`() {
        host.submit(.clean)
        host.enter()
        host.change(memoryLow: true)
        host.submit(.sweep, by: .plugin(.mail))
        #expect(host.expirations.isEmpty && host.reasons(.sweep) == [.memoryPressure])
        host.change(memoryLow: false)
        #expect(host.running == [.clean, .sweep])
    }
}
