// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A push that has to start at once starts or lapses, and replaces no waiting push", .proves("C21"))
struct ImmediatePushTests {
    private let host = SchedulerDriver(.pushed())

    @Test func `a push that has to start at once starts when nothing delays it`() {
        let answer = host.push(isOnlyNow: true)
        #expect(answer?.pushResult == .stored(replacing: nil))
        #expect(answer?.expiresAt == host.clock.now.wall + .seconds(30))
        #expect(host.batches == [[.appPush]])
    }

    @Test func `a push that has to start at once lapses when a reason delays it`() throws {
        host.change(memoryLow: true)
        #expect(host.push(isOnlyNow: true)?.pushResult == .lapsed)
        #expect(host.pending.isEmpty && host.ledger.requests.isEmpty)
        let entry = try #require(host.entries(.lapsed).first)
        #expect(entry.message.contains("had to start at once"))
        host.change(memoryLow: false)
        #expect(host.batches.isEmpty)
    }

    @Test func `a push that has to start at once starts while a request of the plugin waits for external power`() {
        host.change(power: false)
        host.submit(.clean, needsPower: true)
        #expect(host.batches.isEmpty)
        #expect(host.push(isOnlyNow: true)?.pushResult == .stored(replacing: nil))
        #expect(host.batches == [[.appPush]])
    }

    @Test func `a push that has to start at once replaces a waiting push of low priority and starts`() throws {
        host.change(power: false)
        let waiting = try #require(host.push(isLowPriority: true)?.submission)
        #expect(host.batches.isEmpty)
        #expect(host.push(isOnlyNow: true)?.pushResult == .stored(replacing: waiting))
        #expect(host.batches == [[.appPush]])
    }

    @Test func `a push that has to start at once joins a launch that is being prepared`() {
        host.runners = .held
        host.submit(.feed, as: .refresh)
        #expect(host.push(isOnlyNow: true)?.pushResult == .stored(replacing: nil))
        host.bringRunners()
        #expect(host.batches == [[.feed, .appPush]])
    }

    @Test func `a push that has to start at once lapses while a launch of the plugin runs`() {
        host.submit(.feed, as: .refresh)
        #expect(host.batches == [[.feed]])
        #expect(host.push(isOnlyNow: true)?.pushResult == .lapsed)
    }

    @Test func `the waiting push stays when a push that has to start at once lapses`() throws {
        host.change(memoryLow: true)
        let waiting = try #require(host.push()?.submission)
        #expect(host.push(isOnlyNow: true)?.pushResult == .lapsed)
        #expect(host.request(.appPush)?.number == waiting && host.entries(.replaced).isEmpty)
    }

    @Test func `an interrupted push that had to start at once lapses thirty seconds after its arrival`() {
        host.push(isOnlyNow: true)
        host.enter(registering: [])
        host.change(memoryLow: true)
        host.crash()
        host.advance(by: .seconds(29))
        #expect(host.pending == [.appPush] && host.entries(.lapsed).isEmpty)
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.appPush]] && host.entries(.lapsed).count == 1)
        #expect(host.pending.isEmpty)
    }
}
