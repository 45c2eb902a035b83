// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

/// The clock of the tests starts on a Thursday at noon.
@Suite("A plugin's own refresh requests follow the hours in which users use the plugin")
struct LearnedUseTests {
    private static let start = ManualClock().now.wall

    private static func learning(off: Set<Policy> = [], isOn: Bool = true, inFleet: Bool = false) -> SchedulerDriver {
        SchedulerDriver(.studio(extensions: [.keyboard]), .keyboard()) {
            $0.policies.kindSpacing = PolicyConfiguration().kindSpacing
            $0.policies.learnsUse = isOn
            $0.policies.off = off
            $0.timeZones = .machine(.utc)
            if inFleet { $0.fleet.plugins = [PluginPattern("*")].compactMap(\.self) }
        }
    }

    /// A user submits a request, and it runs.
    private func use(_ host: SchedulerDriver) {
        host.submit(.clean, by: .user)
        host.runToTheEnd()
        host.advance(by: .seconds(1))
    }

    /// Runs a refresh request of the plugin now, and submits the next one. Returns the end of the launch.
    private func refresh(_ host: SchedulerDriver) -> WallTime {
        host.submit(.feed, as: .refresh)
        host.runToTheEnd()
        let end = host.clock.now.wall
        host.submit(.feed, as: .refresh)
        return end
    }

    private func feeds(_ host: SchedulerDriver) -> Int { host.batches.count { $0.contains(.feed) } }

    private static func paced(until time: WallTime) -> Reason { .kindSpacing(until: time, .refresh, .minutes(15)) }

    // MARK: Expected uses

    @Test(.proves(64)) func `outside of the hours of use the spacing of a plugin's own refresh requests doubles`() {
        let host = Self.learning()
        use(host)
        host.advance(by: .days(7))
        use(host)
        host.advance(by: .hours(2))
        let end = refresh(host)
        #expect(
            host.reasons(.feed) == [
                Self.paced(until: end + .minutes(15)),
                .useSpacing(until: end + .minutes(30), .minutes(30), unused: nil),
            ]
        )
        host.advance(by: .minutes(30) - .nanoseconds(1))
        #expect(feeds(host) == 1)
        host.advance(by: .nanoseconds(1))
        #expect(feeds(host) == 2)
    }

    @Test(.proves(64)) func `a lengthened refresh spacing ends half an hour before the next expected use`() {
        let host = Self.learning()
        use(host)
        host.advance(by: .days(7))
        use(host)
        // The use is expected at noon of the next Thursday.
        let noon = Self.start + .days(14)
        host.advance(by: noon - .minutes(50) - host.clock.now.wall)
        let end = refresh(host)
        #expect(host.reasons(.feed).last == .useSpacing(until: noon - .minutes(30), .minutes(30), unused: nil))
        host.advance(by: .minutes(20) - .nanoseconds(1))
        #expect(feeds(host) == 1)
        host.advance(by: .nanoseconds(1))
        #expect(feeds(host) == 2 && host.clock.now.wall == end + .minutes(20))
        // Within the lead and the expected hour the shorter spacing applies.
        host.runToTheEnd()
        host.submit(.feed, as: .refresh)
        #expect(host.reasons(.feed) == [Self.paced(until: host.clock.now.wall + .minutes(15))])
    }

    @Test(.proves(64)) func `after one use no use is expected, and no refresh spacing is lengthened`() {
        let host = Self.learning()
        use(host)
        host.advance(by: .hours(2))
        let end = refresh(host)
        #expect(host.reasons(.feed) == [Self.paced(until: end + .minutes(15))])
    }

    @Test func `an expected use keeps its local time over a change to summer time and in a new time zone`() throws {
        // Monday, 2026-03-23 and 2026-03-16, 9:10 in Berlin, which changes to summer time on 2026-03-29.
        let monday = WallTime(nanoseconds: 0) + .seconds(1_774_253_400)
        var uses = UseHistogram(firstUse: LearnedUse.hour(at: monday - .days(7), in: .berlin))
        let isChanged = uses.note(LearnedUse.hour(at: monday, in: .berlin))
        #expect(isChanged)
        let evening = monday + .hours(12)
        // 8:30 of the next Monday is an hour earlier in UTC.
        let lead = monday + .days(7) - .minutes(40) - .hours(1)
        #expect(LearnedUse(uses, in: .berlin).outlook(at: evening) == .later(lead: lead))
        // The user keeps the same local hours in Helsinki, where they are an hour earlier.
        #expect(LearnedUse(uses, in: .helsinki).outlook(at: evening) == .later(lead: lead - .hours(1)))
        #expect(LearnedUse(uses, in: .berlin).outlook(at: lead) == .soon)
    }

    @Test func `a change of the machine's time zone moves the end of a wait for an expected use`() {
        let host = Self.learning()
        use(host)
        host.advance(by: .days(7))
        use(host)
        host.advance(by: Self.start + .days(14) - .minutes(100) - host.clock.now.wall)
        _ = refresh(host)
        host.advance(by: .minutes(16))
        #expect(feeds(host) == 1 && host.reasons(.feed).map(\.kind) == [.useSpacing])
        // Noon is now an hour earlier: the lead has begun.
        host.send(.timeZonesChanged(.machine(.fixed(hours: 1))))
        #expect(feeds(host) == 2)
    }

    // MARK: Unused plugins

    @Test(.proves(64), arguments: [(2, 4), (3, 8), (4, 16), (30, 16)])
    func `the longer a plugin is unused, the wider is the spacing of its refresh requests, up to sixteen times`(
        _ weeks: Int,
        _ factor: Int
    ) {
        let host = Self.learning()
        use(host)
        host.advance(by: .days(7 * weeks))
        let end = refresh(host)
        let spacing = Duration.minutes(15) * factor
        #expect(host.reasons(.feed).last == .useSpacing(until: end + spacing, spacing, unused: weeks))
        host.advance(by: spacing)
        #expect(feeds(host) == 2)
    }

    @Test(.proves(64)) func `a use ends the wide spacing of an unused plugin at once`() {
        let host = Self.learning()
        use(host)
        host.advance(by: .days(21))
        _ = refresh(host)
        host.advance(by: .minutes(16))
        #expect(feeds(host) == 1 && host.reasons(.feed).map(\.kind) == [.useSpacing])
        use(host)
        #expect(feeds(host) == 2)
    }

    @Test(.proves(64)) func `the spacing of a plugin that no user ever used is not lengthened`() {
        let host = Self.learning()
        host.advance(by: .days(60))
        let end = refresh(host)
        #expect(host.reasons(.feed) == [Self.paced(until: end + .minutes(15))])
        #expect(host.ledger.uses.isEmpty)
    }

    @Test(.proves(64)) func `a scheduled refresh request of an unused plugin has no lengthened spacing`() {
        let host = Self.learning()
        use(host)
        host.advance(by: .days(21))
        host.submit(.feed, as: .refresh, by: .schedule)
        host.runToTheEnd()
        host.submit(.feed, as: .refresh, by: .schedule)
        host.advance(by: .seconds(1))
        #expect(feeds(host) == 2)
    }

    // MARK: Uses

    @Test(arguments: ["request", "launch", "trigger", "continued"])
    func `requests and launches of users, triggers and continued tasks are uses of the main plugin`(_ use: String) {
        let host = Self.learning()
        host.submit(.feed, as: .refresh, after: .hours(1))
        #expect(host.ledger.uses.isEmpty)
        switch use {
        case "request": host.submit(.clean, by: .user)
        case "launch": host.requestRun(of: .feed)
        case "trigger": host.trigger()
        default: host.submitContinued(by: .user)
        }
        #expect(host.ledger.uses.keys.sorted() == [.app])
        #expect(host.ledger.uses == host.scheduler.uses)
    }

    @Test func `a request that a feeder claimed from the queue of a fleet is no use`() {
        let host = Self.learning(inFleet: true)
        host.renew()
        guard case .submitted = host.claim(.clean) else {
            Issue.record("the host refused the claim")
            return
        }
        #expect(host.ledger.uses.isEmpty && host.scheduler.uses.isEmpty)
        let changes = host.actions.flatMap { action -> [LedgerChange] in
            if case .commit(_, let changes) = action { changes } else { [] }
        }
        #expect(!changes.contains { if case .setStandstills = $0 { true } else { false } })
    }

    @Test func `a refused request is no use, and uses within one hour are one change of the ledger`() {
        let host = Self.learning()
        host.submit("com.example.elsewhere.task", by: .user)
        #expect(host.ledger.uses.isEmpty)
        for _ in 1...3 { use(host) }
        let changes = host.actions.flatMap { action -> [LedgerChange] in
            if case .commit(_, let changes) = action { changes } else { [] }
        }
        #expect(changes.count { if case .setUses = $0 { true } else { false } } == 1)
    }

    @Test func `the uses of a plugin survive a restart, and are dropped with its record`() {
        let host = Self.learning()
        use(host)
        let uses = host.ledger.uses
        host.restart()
        #expect(host.scheduler.uses == uses && uses.keys.sorted() == [.app])
        host.remove(.app)
        host.advance(by: .days(31))
        #expect(host.ledger.uses.isEmpty && host.scheduler.uses.isEmpty)
    }

    @Test func `a use whose commit failed is written later`() {
        let host = Self.learning()
        host.submit(.feed, as: .refresh, after: .hours(1))
        host.commits = .failing
        host.requestRun(of: .feed)
        #expect(host.ledger.uses.isEmpty)
        host.commits = .written
        host.advance(by: .seconds(10))
        #expect(host.ledger.uses.keys.sorted() == [.app])
    }

    // MARK: Switched off, and explained

    @Test(arguments: [true, false])
    func `without the learning of use or the policy use no refresh spacing is lengthened`(_ isPolicyOff: Bool) {
        let host = Self.learning(off: isPolicyOff ? [.use] : [], isOn: isPolicyOff)
        use(host)
        host.advance(by: .days(21))
        let end = refresh(host)
        #expect(host.reasons(.feed) == [Self.paced(until: end + .minutes(15))])
        #expect(host.ledger.uses.isEmpty != isPolicyOff)
    }

    @Test(.proves("C13")) func `an explanation has the verdict of the use of a plugin, with its numbers`() throws {
        let host = Self.learning()
        use(host)
        host.advance(by: .days(21))
        _ = refresh(host)
        let reason = try #require(host.reasons(.feed).last)
        #expect(
            reason.message
                == "no user has used the plugin for 3 weeks, and the last refresh launch for its own requests ended"
                + " less than 2h ago"
        )
        #expect(reason.code == "use-spacing" && reason.isAdvisory && reason.remedy.contains("policies.learn-use"))
        guard case .pending(_, _, let policies) = host.explain(.feed).states.first else {
            Issue.record("the request is not pending")
            return
        }
        let verdict = try #require(policies.first { $0.policy == .use })
        #expect(verdict.verdict.name == "wait")
        #expect(verdict.rationale.hasSuffix("; unused for 3 weeks: 2h between two refresh launches"))
    }

    // MARK: Late launches

    /// Runs a refresh request of the plugin, which completes when its budget is used up and its task expires.
    private func refreshLate(_ host: SchedulerDriver) {
        host.submit(.feed, as: .refresh)
        while host.running.isEmpty, let wait = host.timeToWake { host.advance(by: wait) }
        host.enter()
        host.advance(by: .seconds(31))
        host.complete(.feed)
    }

    private func spacing(_ host: SchedulerDriver) -> Duration? {
        host.submit(.feed, as: .refresh)
        guard case .kindSpacing(_, _, let spacing)? = host.reasons(.feed).first else { return nil }
        host.cancel(.feed)
        return spacing
    }

    @Test(.proves("C7"))
    func `each launch in a row that uses its whole budget doubles the spacing of own refreshes, up to an hour`() {
        let host = Self.learning(isOn: false)
        var spacings: [Duration?] = []
        for _ in 1...3 {
            refreshLate(host)
            spacings.append(spacing(host))
        }
        #expect(spacings == [.minutes(30), .hours(1), .hours(1)])
        host.restart()
        #expect(spacing(host) == .hours(1))
        host.advance(by: .hours(1))
        host.submit(.feed, as: .refresh)
        host.runToTheEnd()
        #expect(spacing(host) == .minutes(15))
    }

    @Test(.proves("C7")) func `an overrun of an own refresh doubles the spacing, and a user's stop does not`() {
        let host = Self.learning(isOn: false)
        host.submit(.feed, as: .refresh)
        host.enter()
        host.advance(by: .seconds(36))
        #expect(host.launchOutcomes == [.overran] && spacing(host) == .minutes(30))
        let other = Self.learning(isOn: false)
        other.submit(.feed, as: .refresh)
        other.enter()
        other.simulateExpiration(of: .feed)
        other.complete(.feed)
        #expect(spacing(other) == .minutes(15))
    }
}
