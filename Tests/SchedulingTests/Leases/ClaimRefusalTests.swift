// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("A request with a claim needs a trusted lease, a permitted plugin and an identifier without another claim")
struct ClaimRefusalTests {
    let host = SchedulerDriver.inFleet()

    private func refusal(of answer: Answer?) -> SubmissionRefusal? {
        if case .refused(let refusal)? = answer { refusal } else { nil }
    }

    @Test func `a claim under an unknown, an ended, an unconfirmed or a deleted lease is refused`() throws {
        let unknown = try #require(refusal(of: host.claim(.clean)))
        #expect(unknown.subReason == .submitterMayNotSchedule && unknown.message.contains("has no lease fleet"))
        host.renew(for: .seconds(1))
        host.advance(by: .seconds(1))
        let ended = try #require(refusal(of: host.claim(.clean)))
        #expect(ended.message.contains("not trusted") && ended.message.contains("PUT /v1/leases/fleet"))
        host.restart()
        #expect(refusal(of: host.claim(.clean)) != nil)
        host.renew()
        host.claim(.clean)
        host.enter()
        host.deleteLease()
        #expect(refusal(of: host.claim(.vacuum))?.message.contains("was deleted") == true)
    }

    @Test func `a claim under the lease of another user is refused`() {
        host.renew(as: 1_000)
        host.caller = CallingUser(uid: 1_001, pid: 1, command: nil)
        #expect(refusal(of: host.claim(.clean))?.message.contains("belongs to user 1000") == true)
        host.caller = CallingUser(uid: 1_000, pid: 1, command: nil)
        #expect(refusal(of: host.claim(.clean)) == nil)
    }

    @Test func `a claim for a plugin that fleet.plugins does not list is refused, and a local request is not`() throws {
        let host = SchedulerDriver.inFleet { $0.fleet.plugins = [PluginPattern("com.example.mail")].compactMap(\.self) }
        host.renew()
        let refused = try #require(refusal(of: host.claim(.clean)))
        #expect(refused.code == .notPermitted && refused.message.contains("fleet.plugins"))
        #expect(refusal(of: host.claim(.inbox)) == nil && refusal(of: host.submit(.clean)) == nil)
    }

    @Test func `a second claim of an identifier is refused while the first one is pending or running`() throws {
        host.renew()
        host.change(power: false)
        host.claim(.clean, item: 1, needsPower: true)
        let second = try #require(refusal(of: host.claim(.clean, item: 2, needsPower: true)))
        #expect(second.subReason == .noCapacityNow && second.message.contains("item 1"))
        host.change(power: true)
        #expect(refusal(of: host.claim(.clean, item: 2)) != nil)
        host.enter()
        #expect(refusal(of: host.claim(.clean, item: 2)) != nil)
        host.complete(.clean)
        #expect(refusal(of: host.claim(.clean, item: 2)) == nil)
    }

    @Test func `a claim replaces a pending local request of its identifier`() {
        host.renew()
        host.change(power: false)
        host.submit(.clean, needsPower: true)
        #expect(refusal(of: host.claim(.clean, needsPower: true)) == nil)
        #expect(host.entries(.replaced).map(\.claim) == [nil])
    }

    @Test func `why names the claim of a running and of a pending task, and the last contact`() throws {
        host.renew()
        host.claim(.inbox, item: 8)
        #expect(host.explain(.inbox).claim?.claim.claim.item == 8)
        host.change(power: false)
        host.claim(.clean, item: 9, bound: true, needsPower: true)
        host.advance(by: .minutes(12))
        let claim = try #require(host.explain(.clean).claim)
        #expect(claim.claim.claim.item == 9 && claim.lease?.trust == .ended)
        #expect(claim.lease?.contact == host.clock.now.wall + .minutes(-12))
    }
}
