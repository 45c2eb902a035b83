// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Fleet
import TaskModel
import Testing

@Suite("A host trusts its lease for less time than the queue grants it")
struct LeaseRuleTests {
    @Test(arguments: [(0, 10), (1, 10), (20_000, 10), (100_000, 50), (1_000_000, 500)])
    func `the interval of renewals grows with the number of hosts`(hosts: Int, seconds: Int) {
        let terms = LeaseTerms(hosts: hosts)
        #expect(terms.interval == .seconds(seconds))
        #expect(terms.length == .seconds(3 * seconds))
    }

    @Test func `jitter shortens an interval by at most a quarter`() {
        var generator = SeededGenerator(seed: 1)
        let terms = LeaseTerms(hosts: 1)
        let intervals = (0..<1_000).map { _ in terms.jittered(using: &generator) }
        #expect(intervals.allSatisfy { (Duration.milliseconds(7_500)...Duration.seconds(10)).contains($0) })
        #expect(Set(intervals).count > 900)
    }

    @Test func `trust counts from the moment before the renewal was sent and ends a margin before the lease`() {
        let sent = BootTime(nanoseconds: 0) + .seconds(100)
        let window = TrustWindow(sent: sent, length: .seconds(30))
        #expect(window.end == sent + .milliseconds(28_970))
        #expect(window.isOpen(at: sent) && !window.isOpen(at: window.end))
        #expect(window.remainder(at: sent + .seconds(28)) == .milliseconds(970))
        #expect(window.remainder(at: sent + .seconds(40)) == .zero)
    }

    @Test func `an unbound claim is rescued 60 s after the end of the lease, a bound claim never`() {
        #expect(!RescueRule.isRescued(isBound: false, leaseAge: .seconds(59)))
        #expect(RescueRule.isRescued(isBound: false, leaseAge: .seconds(60)))
        #expect(!RescueRule.isRescued(isBound: true, leaseAge: .seconds(1_000_000)))
    }

    @Test func `an outcome counts only with the fence of the open claim`() {
        #expect(FinishVerdict(reported: 3, current: 3) == .accepted)
        #expect(FinishVerdict(reported: 2, current: 3) == .superseded)
        #expect(FinishVerdict(reported: 3, current: nil) == .superseded)
    }

    @Test func `hosts of a campaign begin at different times within its spread, at each synchronization the same`() {
        let campaign = Campaign(number: 7, spread: .seconds(3_600))
        let hosts = (0..<1_000).compactMap { FleetName("web-\($0)") }
        let delays = hosts.map { Spread.delay(of: $0, in: campaign) }
        #expect(delays == hosts.map { Spread.delay(of: $0, in: campaign) })
        #expect(delays.allSatisfy { $0 >= .zero && $0 < .seconds(3_600) })
        for quarter in 0..<4 {
            let range = Duration.seconds(900 * quarter)..<Duration.seconds(900 * (quarter + 1))
            #expect((180...320).contains(delays.count { range.contains($0) }))
        }
        #expect(Spread.delay(of: hosts[0], in: Campaign(number: 7, spread: .zero)) == .zero)
    }

    @Test func `a claim visits each bucket once, from any first bucket`() {
        for first in 0..<Bucket.count {
            let order = Bucket.order(from: first)
            #expect(order.first == first && Set(order).count == Bucket.count)
        }
    }
}
