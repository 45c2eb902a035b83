// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A push waits for conditions like a refresh, and lapses at its deadline", .proves(85, "C21"))
struct PushDelayTests {
    private let host = SchedulerDriver(.pushed())

    private func paced() -> SchedulerDriver {
        SchedulerDriver(.pushed()) { $0.policies.kindSpacing = PolicyConfiguration().kindSpacing }
    }

    @Test func `a push whose deadline passes while it waits lapses`() {
        let host = paced()
        host.push()
        host.runToTheEnd()
        host.push(until: .minutes(10))
        host.advance(by: .minutes(10))
        #expect(host.pending.isEmpty && host.entries(.lapsed).count == 1)
    }

    @Test func `a push whose deadline has passed lapses and leaves the waiting push`() throws {
        host.change(memoryLow: true)
        let waiting = try #require(host.push()?.submission)
        #expect(host.push(until: .seconds(-1))?.pushResult == .lapsed)
        #expect(host.request(.appPush)?.number == waiting)
        #expect(host.entries(.lapsed).count == 1 && host.entries(.replaced).isEmpty)
    }

    @Test func `a push of low priority waits for external power`() {
        host.change(power: false)
        host.push(isLowPriority: true)
        #expect(host.reasons(.appPush) == [.externalPower])
        host.change(power: true)
        #expect(host.batches == [[.appPush]])
    }

    @Test func `a push waits while background refresh is off`() {
        let host = SchedulerDriver(.pushed()) { $0.isBackgroundRefreshOn = false }
        #expect(host.push()?.pushResult == .stored(replacing: nil))
        #expect(host.reasons(.appPush) == [.backgroundRefreshOff(nil)])
    }

    @Test func `the waiting push of a plugin without the mode waits for the mode`() {
        host.change(memoryLow: true)
        host.push()
        host.install(.app(version: "2.0"))
        host.change(memoryLow: false)
        #expect(host.reasons(.appPush) == [.modeMissing(.remoteNotification)])
    }
}
