// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("Unbound claims end with the trust in their lease; bound ones stay")
struct LostClaimTests {
    let host = SchedulerDriver.inFleet()

    @Test func `a pending unbound request ends with its lease, and a bound and a local one stay`() {
        host.renew()
        host.change(power: false)
        host.claim(.clean, item: 1, needsPower: true)
        host.claim(.vacuum, item: 2, bound: true, needsPower: true)
        host.submit(.index, needsPower: true)
        host.advance(by: .seconds(30))
        #expect(host.pending == [.vacuum, .index])
        #expect(host.entries(.leaseLost).map(\.claim?.item) == [1])
        #expect(host.openItems == [2])
    }

    @Test func `a running unbound task expires with its lease, and its end is marked in the journal`() {
        host.renew()
        host.claim(.clean)
        host.enter()
        host.advance(by: .seconds(30))
        #expect(host.expirations.map(\.tasks) == [[.clean]])
        #expect(host.expirations.map(\.reason) == [.leaseLost])
        host.complete(.clean)
        #expect(host.entries(.task(.succeeded)).map(\.isLeaseLost) == [true])
        #expect(host.entries(.leaseLost).isEmpty && host.openItems == [])
    }

    @Test func `an unbound task that does not end within the grace period is killed, and its end is marked`() {
        host.renew()
        host.claim(.clean)
        host.enter()
        host.advance(by: .seconds(40))
        #expect(host.killed.count == 1 && host.pending.isEmpty)
        #expect(host.entries(.task(.expired)).map(\.isLeaseLost) == [true])
        #expect(host.entries(.task(.expired)).map(\.claim?.item) == [71])
    }

    @Test func `a running bound task goes on`() {
        host.renew()
        host.claim(.clean, bound: true)
        host.enter()
        host.advance(by: .minutes(1))
        #expect(host.expirations.isEmpty && host.running == [.clean])
        host.complete(.clean)
        #expect(host.entries(.task(.succeeded)).map(\.isLeaseLost) == [false])
    }

    @Test func `a task whose lease is lost during entry expires when entry returns`() {
        host.renew(for: .seconds(1))
        host.claim(.clean)
        host.advance(by: .seconds(2))
        #expect(host.expirations.isEmpty)
        host.enter()
        #expect(host.expirations.map(\.reason) == [.leaseLost])
    }

    @Test func `a request whose submission is being committed at the end of trust never starts`() {
        host.renew()
        host.commits = .held
        host.claim(.clean)
        host.advance(by: .seconds(30))
        host.writeHeldCommits()
        host.advance(by: .seconds(1))
        #expect(host.batches.isEmpty && host.pending.isEmpty)
        #expect(host.entries(.leaseLost).count == 1)
    }

    @Test func `a claim that was lost ends also when the lease is renewed before its end is on disk`() {
        host.renew()
        host.change(power: false)
        host.claim(.clean, needsPower: true)
        host.commits = .failing
        host.advance(by: .seconds(30))
        host.commits = .written
        host.renew()
        host.change(power: true)
        host.advance(by: .minutes(1))
        #expect(host.batches.isEmpty && host.entries(.leaseLost).count == 1)
    }

    @Test func `an interrupted task whose lease is not trusted any more is not run again`() {
        host.renew()
        host.claim(.clean)
        host.enter()
        host.advance(by: .seconds(10))
        host.commits = .held
        host.crash()
        host.advance(by: .seconds(30))
        host.writeHeldCommits()
        host.advance(by: .hours(1))
        #expect(host.batches.count == 1 && host.pending.isEmpty)
        #expect(host.entries(.leaseLost).count == 1)
    }

    @Test func `the end of one lease does not concern the claims of another`() {
        host.change(power: false)
        host.renew("one", for: .seconds(10))
        host.renew("two", for: .seconds(60))
        host.claim(.clean, item: 1, needsPower: true, under: "one")
        host.claim(.vacuum, item: 2, needsPower: true, under: "two")
        host.advance(by: .seconds(10))
        #expect(host.pending == [.vacuum])
    }

    @Test func `pending unbound requests of a deleted lease end at once, and running ones with its trust`() {
        host.renew()
        host.claim(.clean, item: 1)
        host.enter()
        host.change(power: false)
        host.claim(.vacuum, item: 2, needsPower: true)
        host.claim(.inbox, item: 3, bound: true, needsPower: true)
        host.deleteLease()
        #expect(host.pending == [.inbox] && host.running == [.clean] && host.expirations.isEmpty)
        host.advance(by: .seconds(30))
        #expect(host.expirations.map(\.reason) == [.leaseLost] && host.pending == [.inbox])
    }

    @Test func `a local request that replaces a claimed one does not end with the lease`() {
        host.renew()
        host.change(power: false)
        host.claim(.clean, needsPower: true)
        host.submit(.clean, needsPower: true)
        #expect(host.entries(.replaced).map(\.claim?.item) == [71])
        host.advance(by: .seconds(30))
        #expect(host.pending == [.clean] && host.entries(.leaseLost).isEmpty)
    }

    @Test func `the claims of ended requests do not accumulate`() {
        host.renew(for: .hours(24))
        for item in 1...500 {
            host.claim(.clean, item: Int64(item))
            host.enter()
            host.complete(.clean)
            host.advance(by: .minutes(2))
        }
        #expect(host.scheduler.leases.holdings(of: "fleet").count < 70)
        #expect(host.openItems == [])
    }
}
