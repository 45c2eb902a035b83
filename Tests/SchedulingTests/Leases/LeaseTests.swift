// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("A lease is renewed by its owner, and trusted until its time has passed on the clock that counts suspends")
struct LeaseTests {
    let host = SchedulerDriver.inFleet()

    @Test func `a lease is trusted for the time that each renewal names`() throws {
        host.renew(for: .seconds(30))
        host.advance(by: .seconds(29))
        #expect(try #require(host.scheduler.leases["fleet"]).isTrusted)
        host.renew(for: .seconds(30))
        host.advance(by: .seconds(30) - .nanoseconds(1))
        #expect(host.scheduler.leases.hasTrust)
        host.advance(by: .nanoseconds(1))
        #expect(host.scheduler.leases["fleet"]?.trust == .ended && !host.scheduler.leases.hasTrust)
    }

    @Test func `a renewal for zero seconds ends the trust at once`() {
        host.renew()
        host.renew(for: .zero)
        #expect(host.scheduler.leases["fleet"]?.trust == .ended)
    }

    @Test func `a delay of a renewal with a time of the boot clock does not extend the trust`() {
        let sent = host.clock.now.bootTime
        host.suspend(for: .seconds(20))
        host.renew(until: sent + .seconds(30))
        #expect(host.scheduler.leases["fleet"]?.trust == .trusted(until: sent + .seconds(30)))
        #expect(host.ledger.leases["fleet"]?.length == .seconds(10))
        host.advance(by: .seconds(10))
        #expect(host.scheduler.leases["fleet"]?.trust == .ended)
    }

    @Test func `a renewal that arrives after its time of the boot clock ends the trust at once`() {
        let sent = host.clock.now.bootTime
        host.suspend(for: .seconds(600))
        host.renew(until: sent + .seconds(30))
        #expect(host.scheduler.leases.hasTrust == false)
        host.renew(for: .seconds(30))
        host.renew(until: sent + .seconds(30))
        #expect(host.scheduler.leases["fleet"]?.trust == .ended)
    }

    @Test func `a time of the boot clock in the far future gives a trust of a day`() {
        host.renew(until: BootTime(nanoseconds: .max))
        let end = host.clock.now.bootTime + .seconds(86_400)
        #expect(host.scheduler.leases["fleet"]?.trust == .trusted(until: end))
    }

    @Test func `a lease is made on disk before the answer, and a renewal without news is answered at once`() {
        host.commits = .held
        #expect(host.renew() == nil && host.scheduler.leases.isEmpty)
        host.writeHeldCommits()
        #expect(host.ledger.leases["fleet"]?.length == .seconds(30))
        host.commits = .held
        #expect(host.renew() != nil && host.heldCommits.isEmpty)
    }

    @Test func `a renewal whose new number cannot be recorded is refused, and extends the trust nevertheless`() {
        host.renew(acknowledging: 4)
        host.advance(by: .seconds(29))
        host.commits = .failing
        host.renew(acknowledging: 5)
        #expect(host.answers[ReplyToken(rawValue: host.lastReply)] == .notRecorded(message: "disk full"))
        host.advance(by: .seconds(29))
        #expect(host.scheduler.leases["fleet"]?.isTrusted == true)
        #expect(host.scheduler.leases["fleet"]?.acknowledged == 4)
    }

    @Test func `the acknowledged number is on disk, survives a restart, and never falls`() {
        host.renew(acknowledging: 4)
        host.renew(acknowledging: 9)
        host.renew(acknowledging: 2)
        host.renew()
        #expect(host.ledger.leases["fleet"]?.acknowledged == 9)
        host.restart()
        #expect(host.scheduler.leases["fleet"]?.acknowledged == 9)
    }

    @Test func `the length of a lease is recorded in whole seconds, rounded up, and never falls`() {
        host.renew(for: .milliseconds(28_900))
        host.renew(for: .milliseconds(12_100))
        #expect(host.ledger.leases["fleet"]?.length == .seconds(29))
    }

    @Test func `another user neither renews a lease nor deletes it`() {
        host.renew()
        #expect(host.renew(as: 1_001) == .ofAnotherUser(1_000))
        #expect(host.deleteLease(as: 1_001) == .ofAnotherUser(1_000))
        #expect(host.scheduler.leases["fleet"]?.isTrusted == true)
        #expect(host.deleteLease(as: nil) == .deleted)
    }

    @Test func `a host has at most sixteen leases`() {
        for number in 1...LeaseTable.most { host.renew("lease\(number)") }
        #expect(host.renew("another") == .tooMany)
        host.deleteLease("lease1")
        host.advance(by: .seconds(30))
        #expect(host.renew("another") != .tooMany)
    }

    @Test func `a deleted lease without claims is gone at once`() {
        host.renew()
        #expect(host.deleteLease() == .deleted)
        #expect(host.ledger.leases.isEmpty && host.scheduler.leases.isEmpty)
        #expect(host.deleteLease() == .unknown)
    }

    @Test
    func `a deleted lease with a running claim is gone from disk at once, and from memory at the end of its trust`() {
        runClaimThenDelete()
        #expect(host.ledger.leases.isEmpty && host.scheduler.leases["fleet"]?.isDraining == true)
        #expect(host.deleteLease() == .unknown)
        host.advance(by: .seconds(30))
        #expect(host.scheduler.leases.isEmpty)
    }

    @Test func `a deleted lease that is renewed while a claim runs is on disk again`() {
        runClaimThenDelete()
        host.renew()
        #expect(host.ledger.leases["fleet"]?.acknowledged == 4)
        #expect(host.scheduler.leases["fleet"]?.isDraining == false)
    }

    private func runClaimThenDelete() {
        host.renew(acknowledging: 4)
        host.claim(.clean)
        host.enter()
        #expect(host.deleteLease() == .deleted)
    }

    @Test
    func `the first event after a suspend beyond the lease ends the trust, and a step of the wall clock does not`() {
        host.renew()
        host.stepWallClock(by: .hours(5))
        #expect(host.scheduler.leases["fleet"]?.isTrusted == true)
        host.suspend(for: .seconds(30))
        #expect(host.scheduler.leases["fleet"]?.trust == .ended)
    }
}
