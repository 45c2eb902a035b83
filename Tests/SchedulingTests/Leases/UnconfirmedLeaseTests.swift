// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("After a restart of the host, unbound claims wait until the feeder renews the lease")
struct UnconfirmedLeaseTests {
    let host = SchedulerDriver.inFleet()

    /// Restarts the host with a pending request of each type, which wait for nothing but the lease.
    private func restartWithClaims() {
        host.renew(for: .seconds(30))
        host.change(power: false)
        host.claim(.clean, item: 1, needsPower: true)
        host.claim(.inbox, item: 2, bound: true, needsPower: true)
        host.conditions.isOnExternalPower = true
        host.restart()
    }

    @Test func `a bound request starts after a restart, and an unbound one waits for the lease`() {
        restartWithClaims()
        #expect(host.batches == [[.inbox]])
        #expect(host.reasons(.clean).map(\.kind) == [.leaseUnconfirmed])
        #expect(host.scheduler.leases["fleet"]?.trust == .unconfirmed(until: host.clock.now.bootTime + .seconds(30)))
    }

    @Test func `an unbound request starts when the lease is renewed`() {
        restartWithClaims()
        host.advance(by: .seconds(29))
        host.renew()
        #expect(host.batches == [[.inbox], [.clean]])
    }

    @Test func `an unbound request ends after the length of the lease without a renewal`() {
        restartWithClaims()
        host.advance(by: .seconds(30))
        #expect(host.pending.isEmpty && host.batches == [[.inbox]])
        #expect(host.entries(.leaseLost).map(\.claim?.item) == [1])
    }

    @Test func `the wait for a renewal begins anew in another boot`() {
        host.renew(for: .seconds(30))
        host.change(power: false)
        host.claim(.clean, needsPower: true)
        host.restart(after: .minutes(5), rebooting: true)
        host.advance(by: .seconds(29))
        #expect(host.pending == [.clean])
        host.advance(by: .seconds(1))
        #expect(host.pending.isEmpty)
    }

    @Test func `an unbound task that ran at the end of the host waits for the lease before it runs again`() {
        host.renew()
        host.claim(.clean)
        host.enter()
        host.restart()
        #expect(host.reasons(.clean).map(\.kind) == [.leaseUnconfirmed])
        host.renew()
        #expect(host.batches.count == 2)
    }

    @Test func `a user's request to run it does not override the wait for the lease`() {
        restartWithClaims()
        host.requestRun(of: .clean)
        #expect(host.batches == [[.inbox]])
    }

    @Test func `an unbound request of a lease that was deleted ends at once after a restart`() {
        host.renew()
        host.change(power: false)
        host.claim(.clean, needsPower: true)
        host.commits = .held
        host.deleteLease()
        // The host ends before the end of the request is on disk.
        host.writeNextCommit()
        host.commits = .written
        host.restart()
        host.advance(by: .seconds(1))
        #expect(host.pending.isEmpty && host.entries(.leaseLost).count == 1)
    }

    @Test func `the open claims are not known before all pending work is loaded`() {
        host.renew()
        host.change(power: false)
        host.claim(.clean, needsPower: true)
        host.loads = .held
        host.restart()
        #expect(host.openItems == nil)
        host.bringLoads()
        #expect(host.openItems == [71])
    }
}
