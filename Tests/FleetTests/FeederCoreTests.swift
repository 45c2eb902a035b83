// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Fleet
import TaskModel
import Testing

@Suite("A feeder claims only under a trusted lease, and returns what its host does not have")
struct FeederCoreTests {
    private static let start = BootTime(nanoseconds: 1_000_000_000_000)

    private struct Fixture {
        var core: FeederCore
        let plugin: PluginIdentifier
        let identifier: TaskIdentifier

        init(batch: Int = 100) throws {
            var settings = FeederSettings(host: try #require(FleetName("web-1")), groups: [])
            settings.batch = batch
            core = FeederCore(settings: settings, generator: SeededGenerator(seed: 1))
            plugin = try #require(PluginIdentifier("com.example.feed"))
            identifier = try #require(TaskIdentifier("com.example.feed.refresh"))
        }

        func item(_ number: Int64, fence: Int64 = 1, isBound: Bool = false) -> FleetItem {
            FleetItem(
                claim: Claim(item: number, fence: fence, isBound: isBound),
                plugin: plugin,
                request: TaskRequest(identifier: identifier, kind: .refresh)
            )
        }

        var capacity: HostCapacity {
            let entry = FleetPlugin(identifier: plugin, version: "1", digest: "d")
            return HostCapacity(plugins: [HostCapacity.Entry(plugin: entry, free: 5)])
        }

        /// Runs a cycle up to the answer of the renewal.
        mutating func renew(
            held: [Claim] = [],
            ending: [Claim] = [],
            open: [OpenClaim] = [],
            campaigns: [Campaign] = [],
            at now: BootTime
        ) -> FeederAction {
            _ = core.handle(.woke, at: now)
            _ = core.handle(.openClaims(open, acknowledged: 0), at: now)
            _ = core.handle(.journal([]), at: now)
            _ = core.handle(.capacity(capacity), at: now)
            return core.handle(
                .synced(
                    SyncAnswer(terms: LeaseTerms(hosts: 1), held: held, ending: ending, campaigns: campaigns)
                ),
                at: now
            )
        }
    }

    @Test func `a cycle reads open claims, then the journal, then renews the lease, and then claims`() throws {
        var fixture = try Fixture()
        #expect(fixture.core.handle(.started, at: Self.start) == .readOpenClaims)
        #expect(
            fixture.core.handle(.openClaims([], acknowledged: 4), at: Self.start) == .readJournal(after: 4, limit: 500)
        )
        #expect(fixture.core.handle(.journal([]), at: Self.start) == .readCapacity)
        guard case .sync(let request) = fixture.core.handle(.capacity(fixture.capacity), at: Self.start) else {
            Issue.record("no renewal")
            return
        }
        #expect(request.plugins?.count == 1)
        let later = Self.start + .seconds(1)
        let end = Self.start + .milliseconds(28_970)
        let answer = SyncAnswer(terms: LeaseTerms(hosts: 1), held: [])
        #expect(fixture.core.handle(.synced(answer), at: later) == .setLease(end: end, acknowledged: 4))
        guard case .claim(let claim) = fixture.core.handle(.leaseSet, at: later) else {
            Issue.record("no claim")
            return
        }
        #expect(claim.limit == 100 && claim.plugins.first?.free == 5)
        guard case .wait(until: let until, isWokenByJournal: true) = fixture.core.handle(.claimed([]), at: later) else {
            Issue.record("no wait")
            return
        }
        #expect(until > Self.start + .seconds(7) && until <= Self.start + .seconds(10))
    }

    @Test(arguments: [FeederInput.databaseFailed, .hostFailed])
    func `after a failure the wait has jitter, doubles up to a minute, and is not ended by the journal`(
        failure: FeederInput
    ) throws {
        var fixture = try Fixture()
        _ = fixture.core.handle(.started, at: Self.start)
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            let action = fixture.core.handle(failure, at: Self.start)
            guard case .wait(until: let until, isWokenByJournal: false) = action else {
                Issue.record("no wait that the journal does not end")
                return
            }
            let delay = Duration.seconds(seconds)
            #expect(until >= Self.start + delay / 2 && until <= Self.start + delay)
            #expect(fixture.core.handle(.woke, at: until) == .readOpenClaims)
        }
    }

    @Test func `items that arrive after the end of trust return to the queue and are not submitted`() throws {
        var fixture = try Fixture()
        _ = fixture.renew(at: Self.start)
        _ = fixture.core.handle(.leaseSet, at: Self.start)
        let action = fixture.core.handle(.claimed([fixture.item(1)]), at: Self.start + .seconds(29))
        let ending = ClaimEnding.returned(reason: "lease-lost", delay: .zero)
        #expect(action == .report([ClaimReport(claim: fixture.item(1).claim, ending: ending)]))
    }

    @Test func `of two items with one plugin and identifier the second returns to the queue`() throws {
        var fixture = try Fixture()
        _ = fixture.renew(at: Self.start)
        _ = fixture.core.handle(.leaseSet, at: Self.start)
        let items = [fixture.item(1), fixture.item(2)]
        #expect(fixture.core.handle(.claimed(items), at: Self.start) == .submit([items[0]]))
        let ending = ClaimEnding.returned(reason: "claim-exists", delay: .seconds(10))
        #expect(
            fixture.core.handle(.submitted([.accepted]), at: Self.start)
                == .report([ClaimReport(claim: items[1].claim, ending: ending)])
        )
    }

    @Test(arguments: [true, false])
    func `only a passing refusal of an item keeps the host from claims for its plugin`(isPassing: Bool) throws {
        var fixture = try Fixture()
        _ = fixture.renew(at: Self.start)
        _ = fixture.core.handle(.leaseSet, at: Self.start)
        _ = fixture.core.handle(.claimed([fixture.item(1)]), at: Self.start)
        let answer = SubmissionAnswer.refused(reason: "a-reason", isPassing: isPassing)
        let ending = ClaimEnding.returned(reason: "a-reason", delay: .zero)
        #expect(
            fixture.core.handle(.submitted([answer]), at: Self.start)
                == .report([ClaimReport(claim: fixture.item(1).claim, ending: ending)])
        )
        guard case .wait = fixture.core.handle(.reported([.accepted]), at: Self.start) else {
            Issue.record("the host claims again at once")
            return
        }
        // After a failure the next cycle is a renewal.
        _ = fixture.core.handle(.databaseFailed, at: Self.start)
        let next = Self.start + .seconds(9)
        _ = fixture.renew(at: next)
        let action = fixture.core.handle(.leaseSet, at: next)
        let isClaim = if case .claim = action { true } else { false }
        #expect(isClaim != isPassing)
    }

    @Test func `a lasting refusal of a bound item delays the item, and not its plugin`() throws {
        var fixture = try Fixture()
        _ = fixture.renew(at: Self.start)
        _ = fixture.core.handle(.leaseSet, at: Self.start)
        let item = fixture.item(1, isBound: true)
        _ = fixture.core.handle(.claimed([item]), at: Self.start)
        let answer = SubmissionAnswer.refused(reason: "a-reason", isPassing: false)
        let ending = ClaimEnding.returned(reason: "a-reason", delay: .seconds(300))
        #expect(
            fixture.core.handle(.submitted([answer]), at: Self.start)
                == .report([ClaimReport(claim: item.claim, ending: ending)])
        )
    }

    @Test func `a full batch of refused items is not claimed again in the same cycle`() throws {
        var fixture = try Fixture(batch: 1)
        _ = fixture.renew(at: Self.start)
        _ = fixture.core.handle(.leaseSet, at: Self.start)
        _ = fixture.core.handle(.claimed([fixture.item(1)]), at: Self.start)
        _ = fixture.core.handle(.submitted([.refused(reason: "a-reason", isPassing: false)]), at: Self.start)
        guard case .wait = fixture.core.handle(.reported([.accepted]), at: Self.start) else {
            Issue.record("the host claims the item again")
            return
        }
    }

    @Test func `a claim that the host does not have returns to the queue after 30 s, not before`() throws {
        var fixture = try Fixture()
        let claim = fixture.item(1).claim
        _ = fixture.renew(held: [claim], at: Self.start)
        guard case .claim = fixture.core.handle(.leaseSet, at: Self.start) else {
            Issue.record("the claim returned at once")
            return
        }
        let later = Self.start + .seconds(30)
        _ = fixture.renew(held: [claim], at: later)
        let ending = ClaimEnding.returned(reason: "never-submitted", delay: .zero)
        #expect(
            fixture.core.handle(.leaseSet, at: later) == .report([ClaimReport(claim: claim, ending: ending)])
        )
    }

    @Test func `a replaced claim that never reached the host returns to the queue as well`() throws {
        var fixture = try Fixture()
        let claim = fixture.item(1).claim
        _ = fixture.renew(ending: [claim], at: Self.start)
        let later = Self.start + .seconds(30)
        _ = fixture.renew(ending: [claim], at: later)
        let ending = ClaimEnding.returned(reason: "never-submitted", delay: .zero)
        #expect(
            fixture.core.handle(.leaseSet, at: later) == .report([ClaimReport(claim: claim, ending: ending)])
        )
    }

    @Test func `many claims that the host does not have return in reports of at most 500`() throws {
        var fixture = try Fixture()
        let claims = (1...1_200).map { fixture.item($0).claim }
        _ = fixture.renew(held: claims, at: Self.start)
        let later = Self.start + .seconds(30)
        _ = fixture.renew(held: claims, at: later)
        var action = fixture.core.handle(.leaseSet, at: later)
        var (sizes, returned) = ([Int](), [Claim]())
        while case .report(let reports) = action {
            sizes.append(reports.count)
            returned += reports.map(\.claim)
            action = fixture.core.handle(.reported(reports.map { _ in .accepted }), at: later)
        }
        #expect(sizes == [500, 500, 200] && returned == claims)
        guard case .claim = action else {
            Issue.record("no claim after the reports")
            return
        }
    }

    @Test func `a suspend between the read of open claims and the renewal does not count as absence`() throws {
        var fixture = try Fixture()
        let claim = fixture.item(1).claim
        _ = fixture.renew(held: [claim], at: Self.start)
        let later = Self.start + .seconds(20)
        _ = fixture.core.handle(.databaseFailed, at: later)
        _ = fixture.core.handle(.woke, at: later)
        _ = fixture.core.handle(.openClaims([], acknowledged: 0), at: later)
        _ = fixture.core.handle(.journal([]), at: later)
        _ = fixture.core.handle(.capacity(fixture.capacity), at: later)
        let resumed = later + .seconds(600)
        let answer = SyncAnswer(terms: LeaseTerms(hosts: 1), held: [claim])
        _ = fixture.core.handle(.synced(answer), at: resumed)
        // The renewal was sent before the suspend: its lease is over, so the feeder claims nothing either.
        guard case .wait = fixture.core.handle(.leaseSet, at: resumed) else {
            Issue.record("the claim returned")
            return
        }
    }

    @Test func `the host cancels a claim with an old fence before it trusts the renewed lease`() throws {
        var fixture = try Fixture()
        let (old, new) = (fixture.item(1), fixture.item(1, fence: 2))
        let open = [OpenClaim(claim: old.claim, key: old.key)]
        let first = fixture.renew(held: [new.claim], open: open, at: Self.start)
        #expect(first == .cancel([old.claim]))
        let end = Self.start + .milliseconds(28_970)
        #expect(fixture.core.handle(.cancelled, at: Self.start) == .setLease(end: end, acknowledged: 0))
    }

    @Test func `journal entries are acknowledged only after the report of their claims`() throws {
        var fixture = try Fixture()
        let ending = ClaimEnding(.task(.succeeded))
        let entry = ClaimedEntry(number: 9, claim: fixture.item(1).claim, ending: ending)
        _ = fixture.core.handle(.started, at: Self.start)
        _ = fixture.core.handle(.openClaims([], acknowledged: 0), at: Self.start)
        guard case .report = fixture.core.handle(.journal([entry]), at: Self.start) else {
            Issue.record("no report")
            return
        }
        #expect(fixture.core.acknowledged == 0)
        _ = fixture.core.handle(.databaseFailed, at: Self.start)
        #expect(fixture.core.acknowledged == 0)
        _ = fixture.core.handle(.woke, at: Self.start)
        _ = fixture.core.handle(.openClaims([], acknowledged: 0), at: Self.start)
        _ = fixture.core.handle(.journal([entry]), at: Self.start)
        #expect(fixture.core.handle(.reported([.accepted]), at: Self.start) == .readCapacity)
        #expect(fixture.core.acknowledged == 9)
    }

    @Test func `a feeder continues from the host's number when a restored ledger has a lower one than before`() throws {
        var fixture = try Fixture()
        _ = fixture.core.handle(.started, at: Self.start)
        _ = fixture.core.handle(.openClaims([], acknowledged: 900), at: Self.start)
        _ = fixture.core.handle(.journal([]), at: Self.start)
        _ = fixture.core.handle(.hostFailed, at: Self.start)
        _ = fixture.core.handle(.woke, at: Self.start)
        let action = fixture.core.handle(.openClaims([], acknowledged: 40), at: Self.start)
        #expect(action == .readJournal(after: 40, limit: 500))
        #expect(fixture.core.acknowledged == 40)
    }

    @Test func `an entry that a cycle reads again before the renewal at the host is not reported again`() throws {
        var fixture = try Fixture()
        let entry = ClaimedEntry(number: 9, claim: fixture.item(1).claim, ending: ClaimEnding(.task(.succeeded)))
        _ = fixture.core.handle(.started, at: Self.start)
        _ = fixture.core.handle(.openClaims([], acknowledged: 0), at: Self.start)
        _ = fixture.core.handle(.journal([entry]), at: Self.start)
        _ = fixture.core.handle(.reported([.accepted]), at: Self.start)
        _ = fixture.core.handle(.databaseFailed, at: Self.start)
        _ = fixture.core.handle(.woke, at: Self.start)
        _ = fixture.core.handle(.openClaims([], acknowledged: 0), at: Self.start)
        #expect(fixture.core.handle(.journal([entry]), at: Self.start) == .readCapacity)
        #expect(fixture.core.acknowledged == 9)
    }

    @Test func `work that ended with the lease returns to the queue, unless the plugin completed it with success`() {
        let returned = ClaimEnding.returned(reason: "lease-lost", delay: .zero)
        #expect(ClaimEnding(.task(.failed), isLeaseLost: true) == returned)
        #expect(ClaimEnding(.task(.failed)) == .finished(outcome: "failed"))
        #expect(ClaimEnding(.consumed, isLeaseLost: true) == returned)
        #expect(ClaimEnding(.task(.succeeded), isLeaseLost: true) == .finished(outcome: "succeeded"))
        #expect(ClaimEnding(.lapsed) == .finished(outcome: "lapsed"))
        #expect(ClaimEnding(.submitted) == nil)
    }
}
