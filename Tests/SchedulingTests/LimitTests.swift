// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Limits bound the pending requests of a main plugin, and apply only at submission")
struct LimitTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard(), .mail())

    @Test(.proves(24)) func `a second pending refresh request with another identifier is refused`() throws {
        host.submit(.feed, as: .refresh, after: .hours(1))
        let refusal = try #require(host.submit(.headlines, as: .refresh, after: .hours(1))?.refusal)
        #expect(refusal.code == .tooManyPendingTaskRequests)
        #expect(refusal.subReason == .refreshLimit)
        #expect(host.pending == [.feed])
    }

    @Test(.proves(25)) func `an eleventh pending processing request is refused`() throws {
        for number in 1...10 { #expect(host.submit(.job(number), after: .hours(1))?.submission != nil) }
        let refusal = try #require(host.submit(.job(11), after: .hours(1))?.refusal)
        #expect(refusal.code == .tooManyPendingTaskRequests)
        #expect(refusal.subReason == .processingLimit)
        #expect(refusal.message.contains("10"))
    }

    @Test(.proves(23)) func `a replacement is accepted at the limit of pending requests`() {
        for number in 1...10 { host.submit(.job(number), after: .hours(1)) }
        host.submit(.feed, as: .refresh, after: .hours(1))
        #expect(host.submit(.job(3), after: .hours(2))?.replaced != nil)
        #expect(host.submit(.feed, as: .refresh, after: .hours(2))?.replaced != nil)
        #expect(host.pending.count == 11)
    }

    @Test(.proves("C5"))
    func `a replacement of an uncommitted request is refused if a requeued task and other requests fill the limit`() {
        host.submit(.clean)
        host.enter()
        for number in 1...9 { host.submit(.job(number), after: .hours(1)) }
        host.commits = .held
        #expect(host.submit(.job(10), after: .hours(1)) == nil)
        host.crash()
        #expect(host.submit(.job(10), after: .hours(2))?.refusal?.subReason == .processingLimit)
        host.failNextCommit()
        host.writeHeldCommits()
        #expect(host.pending.count == 10)
    }

    @Test(.proves(26)) func `a cancellation at the pending limit admits exactly one more submission`() {
        for number in 1...10 { host.submit(.job(number), after: .hours(1)) }
        #expect(host.cancel(.job(4)) == .cancelled(1))
        #expect(host.submit(.job(11), after: .hours(1))?.submission != nil)
        #expect(host.submit(.job(12), after: .hours(1))?.refusal?.code == .tooManyPendingTaskRequests)
    }

    @Test(.proves(35)) func `a running refresh task can resubmit its own identifier at the limit of one`() {
        host.submit(.feed, as: .refresh)
        host.enter()
        #expect(host.submit(.feed, as: .refresh, after: .hours(1))?.submission != nil)
        host.complete(.feed)
        #expect(host.pending == [.feed])
    }

    @Test(.proves(35))
    func `a running refresh task cannot resubmit when another refresh is pending at the limit of one`() {
        host.submit(.feed, as: .refresh)
        host.enter()
        host.submit(.headlines, as: .refresh, after: .hours(1))
        #expect(host.submit(.feed, as: .refresh)?.refusal?.subReason == .refreshLimit)
    }

    @Test(.proves("C5")) func `refresh and processing requests have separate limits, and so have plugins`() {
        for number in 1...10 { host.submit(.job(number), after: .hours(1)) }
        #expect(host.submit(.feed, as: .refresh, after: .hours(1))?.submission != nil)
        #expect(host.submit(.sweep, after: .hours(1), by: .plugin(.mail))?.submission != nil)
        #expect(host.submit(.inbox, as: .refresh, after: .hours(1), by: .plugin(.mail))?.submission != nil)
    }

    @Test(.proves("C5"))
    func `a pending request of an extension fills the limit for submissions by its main plugin and by users`() {
        host.submit(.feed, as: .refresh, after: .hours(1), by: .plugin(.keyboard))
        #expect(host.submit(.headlines, as: .refresh)?.refusal?.subReason == .refreshLimit)
        #expect(host.submit(.headlines, as: .refresh, by: .user)?.refusal?.subReason == .refreshLimit)
    }

    @Test(.proves("C5")) func `the operator can raise the limit of one plugin without changing another's`() {
        let host = SchedulerDriver(.app(), .mail()) {
            var limits = PendingLimits()
            limits.refresh = 2
            $0.plugins[.app, default: PluginPolicy()].limits = limits
        }
        host.submit(.feed, as: .refresh, after: .hours(1))
        #expect(host.submit(.headlines, as: .refresh, after: .hours(1))?.submission != nil)
        host.submit(.inbox, as: .refresh, after: .hours(1), by: .plugin(.mail))
        #expect(host.submit(.sweep, as: .refresh, by: .plugin(.mail))?.refusal?.subReason == .refreshLimit)
    }

    @Test(.proves("C5"))
    func `a requeued request may exceed the limit, and requests above the limit can still be replaced`() {
        host.submit(.feed, as: .refresh)
        host.enter()
        host.submit(.headlines, as: .refresh, after: .hours(1))
        host.crash()
        #expect(Set(host.pending) == [.feed, .headlines])
        #expect(host.submit(.headlines, as: .refresh, after: .hours(2))?.replaced != nil)
        #expect(host.submit(.feed, as: .refresh, after: .hours(2))?.replaced != nil)
        #expect(host.submit(.index, as: .refresh)?.refusal?.subReason == .refreshLimit)
    }

    @Test(.proves("C5")) func `an uncommitted submission counts against the limit until its commit fails`() {
        host.commits = .held
        #expect(host.submit(.feed, as: .refresh) == nil)
        #expect(host.submit(.headlines, as: .refresh)?.refusal?.subReason == .refreshLimit)
        host.failNextCommit()
        #expect(host.submit(.headlines, as: .refresh) == nil)
        host.writeHeldCommits()
        #expect(host.pending.isEmpty && host.batches == [[.headlines]])
    }

    @Test(.proves("C5")) func `a cancellation frees capacity of the pending limit only when its commit succeeds`() {
        host.submit(.feed, as: .refresh, after: .hours(1))
        host.commits = .held
        #expect(host.cancel(.feed) == nil)
        #expect(host.submit(.headlines, as: .refresh)?.refusal?.subReason == .refreshLimit)
        host.failNextCommit()
        #expect(host.pending == [.feed])
        host.commits = .written
        #expect(host.cancel(.feed) == .cancelled(1))
        #expect(host.submit(.headlines, as: .refresh)?.submission != nil)
    }

    @Test(.proves("C5")) func `a launch frees capacity of the pending limit only when its commit succeeds`() {
        host.runners = .held
        host.submit(.feed, as: .refresh)
        host.commits = .held
        host.bringRunners()
        #expect(host.submit(.headlines, as: .refresh, after: .hours(1))?.refusal?.subReason == .refreshLimit)
        host.writeNextCommit()
        #expect(host.submit(.headlines, as: .refresh, after: .hours(1)) == nil)
        host.writeHeldCommits()
        #expect(host.pending == [.headlines])
    }
}
