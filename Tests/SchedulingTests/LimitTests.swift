// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("Limits bound what is pending, per main plugin, at submission only")
struct LimitTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard(), .mail())

    @Test(.proves(24)) func `a second refresh request with another identifier is one too many`() throws {
        host.submit(.feed, as: .refresh, after: .hours(1))
        let refusal = try #require(host.submit(.headlines, as: .refresh, after: .hours(1))?.refusal)
        #expect(refusal.code == .tooManyPendingTaskRequests)
        #expect(refusal.subReason == .refreshLimit)
        #expect(host.pending == [.feed])
    }

    @Test(.proves(25)) func `an eleventh processing request is one too many`() throws {
        for number in 1...10 { #expect(host.submit(.job(number), after: .hours(1))?.submission != nil) }
        let refusal = try #require(host.submit(.job(11), after: .hours(1))?.refusal)
        #expect(refusal.code == .tooManyPendingTaskRequests)
        #expect(refusal.subReason == .processingLimit)
        #expect(refusal.message.contains("10"))
    }

    @Test(.proves(23)) func `at the limit a replacement is still accepted`() {
        for number in 1...10 { host.submit(.job(number), after: .hours(1)) }
        host.submit(.feed, as: .refresh, after: .hours(1))
        #expect(host.submit(.job(3), after: .hours(2))?.replaced != nil)
        #expect(host.submit(.feed, as: .refresh, after: .hours(2))?.replaced != nil)
        #expect(host.pending.count == 11)
    }

    @Test(.proves("C5")) func `what replaces a request that is not written yet needs a place of its own`() {
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

    @Test(.proves(26)) func `one cancelled makes room for one submitted`() {
        for number in 1...10 { host.submit(.job(number), after: .hours(1)) }
        #expect(host.cancel(.job(4)) == .cancelled(1))
        #expect(host.submit(.job(11), after: .hours(1))?.submission != nil)
        #expect(host.submit(.job(12), after: .hours(1))?.refusal?.code == .tooManyPendingTaskRequests)
    }

    @Test(.proves(35)) func `a handler resubmits its own identifier at the limit of one`() {
        host.submit(.feed, as: .refresh)
        host.enter()
        #expect(host.submit(.feed, as: .refresh, after: .hours(1))?.submission != nil)
        host.complete(.feed)
        #expect(host.pending == [.feed])
    }

    @Test(.proves(35)) func `not when another has taken the one place meanwhile`() {
        host.submit(.feed, as: .refresh)
        host.enter()
        host.submit(.headlines, as: .refresh, after: .hours(1))
        #expect(host.submit(.feed, as: .refresh)?.refusal?.subReason == .refreshLimit)
    }

    @Test(.proves("C5")) func `kinds are counted apart, and so are plugins`() {
        for number in 1...10 { host.submit(.job(number), after: .hours(1)) }
        #expect(host.submit(.feed, as: .refresh, after: .hours(1))?.submission != nil)
        #expect(host.submit(.sweep, after: .hours(1), by: .plugin(.mail))?.submission != nil)
        #expect(host.submit(.inbox, as: .refresh, after: .hours(1), by: .plugin(.mail))?.submission != nil)
    }

    @Test(.proves("C5")) func `what extensions and people submit counts for the main plugin`() {
        host.submit(.feed, as: .refresh, after: .hours(1), by: .plugin(.keyboard))
        #expect(host.submit(.headlines, as: .refresh)?.refusal?.subReason == .refreshLimit)
        #expect(host.submit(.headlines, as: .refresh, by: .person)?.refusal?.subReason == .refreshLimit)
    }

    @Test(.proves("C5")) func `the operator can raise the limits of one plugin`() {
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

    @Test(.proves("C5")) func `a returning request is exempt, and what is over the limit can still be replaced`() {
        host.submit(.feed, as: .refresh)
        host.enter()
        host.submit(.headlines, as: .refresh, after: .hours(1))
        host.crash()
        #expect(Set(host.pending) == [.feed, .headlines])
        #expect(host.submit(.headlines, as: .refresh, after: .hours(2))?.replaced != nil)
        #expect(host.submit(.feed, as: .refresh, after: .hours(2))?.replaced != nil)
        #expect(host.submit(.index, as: .refresh)?.refusal?.subReason == .refreshLimit)
    }

    @Test(.proves("C5")) func `a submission that is still being recorded counts`() {
        host.commits = .held
        #expect(host.submit(.feed, as: .refresh) == nil)
        #expect(host.submit(.headlines, as: .refresh)?.refusal?.subReason == .refreshLimit)
        host.failNextCommit()
        #expect(host.submit(.headlines, as: .refresh) == nil)
        host.writeHeldCommits()
        #expect(host.pending.isEmpty && host.batches == [[.headlines]])
    }

    @Test(.proves("C5")) func `a cancellation makes room only when it is on disk`() {
        host.submit(.feed, as: .refresh, after: .hours(1))
        host.commits = .held
        #expect(host.cancel(.feed) == nil)
        #expect(host.submit(.headlines, as: .refresh)?.refusal?.subReason == .refreshLimit)
        host.failNextCommit()
        #expect(host.pending == [.feed])
    }

    @Test(.proves("C5")) func `a launch makes room only when it is on disk`() {
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
