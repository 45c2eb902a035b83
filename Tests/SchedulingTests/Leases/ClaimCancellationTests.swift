// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel
import Testing

@Suite("The cancellation of a claim cancels no other work of the identifier")
struct ClaimCancellationTests {
    let host = SchedulerDriver.inFleet()
    let claim = Claim(item: 71, fence: 3, isBound: false)

    private func submitClaimed(needsPower: Bool = false) {
        host.renew()
        host.claim(.clean, needsPower: needsPower)
    }

    private func cancel(_ claim: Claim) -> Answer? {
        host.ask { .cancelRequested(.clean, of: nil, claim: claim.key, reply: $0) }
    }

    @Test func `the cancellation of a claim cancels its request, and leaves a request with another fence or item`() {
        host.change(power: false)
        submitClaimed(needsPower: true)
        #expect(cancel(Claim(item: 71, fence: 2, isBound: false)) == .cancelled(0))
        #expect(cancel(Claim(item: 72, fence: 3, isBound: false)) == .cancelled(0))
        #expect(host.pending == [.clean])
        #expect(cancel(claim) == .cancelled(1))
        #expect(host.pending.isEmpty)
    }

    @Test func `the cancellation of a claim leaves a newer local request of the identifier`() {
        host.change(power: false)
        submitClaimed(needsPower: true)
        host.submit(.clean, needsPower: true)
        #expect(cancel(claim) == .cancelled(0))
        #expect(host.pending == [.clean] && host.entries(.cancelled).isEmpty)
    }

    @Test func `the cancellation of a running claim leaves a newer local request, and the task is not requeued`() {
        submitClaimed()
        host.enter()
        host.submit(.clean, after: .hours(1))
        #expect(cancel(claim) == .cancelled(0))
        #expect(host.pending == [.clean] && host.running == [.clean])
        #expect(host.entries(.cancelRequested).count == 1)
        host.crash()
        #expect(host.entries(.cancelled).map(\.claim) == [claim])
        #expect(host.pending == [.clean] && host.ledger.requests.map { $0.request.claim } == [nil])
    }

    @Test func `the cancellation of a claim leaves a running task without a claim`() {
        host.submit(.clean)
        host.enter()
        #expect(cancel(claim) == .cancelled(0))
        #expect(host.entries(.cancelRequested).isEmpty)
        host.crash()
        #expect(host.pending == [.clean])
    }
}
