// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A plugin without permitted identifiers gets fetch events at the interval that it sets")
struct LegacyFetchTests {
    private static let news: PluginIdentifier = "com.example.news"

    private static func entry(
        _ version: String = "1.0",
        permitted: [PermittedIdentifier] = [],
        modes: Set<BackgroundMode> = [.fetch]
    ) -> PluginEntry {
        .main(news, version: version, permitted: permitted, modes: modes)
    }

    let host = SchedulerDriver()

    /// Installs the plugin, sets its interval of legacy fetch in its first launch, and completes the launch's events.
    /// Returns the plan of this launch; nil when nothing was launched.
    @discardableResult
    private func ask(every interval: Duration?, of host: SchedulerDriver? = nil, _ entry: PluginEntry = entry())
        -> LaunchPlan?
    {
        let host = host ?? self.host
        host.install(entry)
        return setInterval(to: interval, of: host)
    }

    @discardableResult
    private func setInterval(to interval: Duration?, of host: SchedulerDriver? = nil) -> LaunchPlan? {
        let host = host ?? self.host
        guard let plan = host.lastPlan else { return nil }
        host.enter(plan)
        host.send(.fetchIntervalSet(plan.number, interval))
        host.completeEvents(in: plan)
        host.forgetThePast()
        return plan
    }

    /// The number of delivered fetch events.
    private var fetches: Int { host.plans.flatMap(\.tasks).count { $0.work.label == "fetch" } }

    private func answer() {
        host.enter()
        host.completeEvents()
    }

    @Test(.proves(84)) func `a plugin without a fetch interval gets no fetch event`() {
        ask(every: nil)
        host.advance(by: .days(30))
        #expect(host.plans.isEmpty && host.timeToWake == nil)
    }

    @Test(.proves(84)) func `a plugin gets one fetch event in the event lane after each fetch interval`() throws {
        ask(every: .hours(1))
        host.advance(by: .hours(1) - .nanoseconds(1))
        #expect(host.plans.isEmpty)
        host.advance(by: .nanoseconds(1))
        let plan = try #require(host.lastPlan)
        #expect(plan.lane == .event && plan.tasks.map(\.work.label) == ["fetch"])
        host.enter()
        host.completeEvents(as: .noData)
        host.advance(by: .hours(1))
        #expect(fetches == 2)
    }

    @Test(.proves(84)) func `a fetch interval below the minimum of the host is raised to the minimum`() {
        ask(every: .seconds(1))
        host.advance(by: .minutes(15) - .nanoseconds(1))
        #expect(host.plans.isEmpty)
        host.advance(by: .nanoseconds(1))
        #expect(fetches == 1)
    }

    @Test(.proves(84)) func `setting the same fetch interval again does not delay the next fetch event`() {
        ask(every: .hours(1))
        host.advance(by: .minutes(59))
        host.install(Self.entry("2.0"))
        setInterval(to: .hours(1))
        host.advance(by: .minutes(1))
        #expect(fetches == 1)
    }

    @Test(.proves(84)) func `a longer fetch interval counts from the time at which the plugin sets it`() {
        ask(every: .hours(1))
        host.advance(by: .minutes(30))
        host.install(Self.entry("2.0"))
        setInterval(to: .hours(3))
        host.advance(by: .hours(3) - .nanoseconds(1))
        #expect(fetches == 0)
        host.advance(by: .nanoseconds(1))
        #expect(fetches == 1)
    }

    @Test(.proves(84)) func `a plugin that sets the fetch interval "never" gets no more fetch events`() {
        ask(every: .hours(1))
        host.install(Self.entry("2.0"))
        setInterval(to: nil)
        host.advance(by: .days(2))
        #expect(host.plans.isEmpty && host.ledger.fetches.isEmpty)
    }

    @Test(.proves(84)) func `fetch intervals missed while the host was down are caught up by one fetch event`() {
        ask(every: .hours(1))
        host.restart(after: .days(3))
        answer()
        host.advance(by: .seconds(1))
        #expect(fetches == 1)
        answer()
        host.advance(by: .hours(1) - .seconds(2))
        #expect(fetches == 1)
    }

    @Test(.proves(84)) func `a plugin has one pending fetch event after five fetch intervals without a runner`() {
        let host = self.host
        ask(every: .hours(1))
        host.runners = .held
        host.advance(by: .hours(5))
        #expect(host.pendingEvents == [.fetch])
        host.bringRunners()
        answer()
        #expect(host.pendingEvents.isEmpty)
    }

    @Test(.proves("C11"))
    func `a plugin whose waiting events are at the limit gets no started event for its new version`() {
        let host = SchedulerDriver { $0.eventLimit = 1 }
        ask(every: .hours(1), of: host)
        host.runners = .held
        host.advance(by: .hours(1))
        host.install(Self.entry("2.0"))
        #expect(host.pendingEvents == [.fetch])
    }

    @Test(.proves(84)) func `a fetch event waits for the network`() {
        ask(every: .hours(1))
        host.change(network: false)
        host.advance(by: .hours(5))
        #expect(host.plans.isEmpty)
        host.change(network: true)
        #expect(fetches == 1)
        answer()
        host.advance(by: .minutes(59))
        #expect(fetches == 1)
    }

    @Test(.proves(84)) func `a stopping host stores no fetch event when the network returns`() {
        ask(every: .hours(1))
        host.change(network: false)
        host.advance(by: .hours(2))
        host.stop()
        host.change(network: true)
        #expect(host.ledger.events.isEmpty)
    }

    @Test(.proves(84)) func `a fetch interval survives a restart of the host`() {
        ask(every: .hours(2))
        host.advance(by: .hours(1))
        host.restart(after: .minutes(30))
        host.finishStarting()
        host.forgetThePast()
        host.advance(by: .minutes(30))
        #expect(fetches == 1)
    }

    @Test(.proves(84))
    func `a fetch event that is due before its plugin's pending work is loaded is created after the load`() {
        ask(every: .hours(1))
        host.runners = .held
        host.install(Self.entry("2.0"))
        #expect(host.pendingEvents == [.started])
        host.loads = .held
        host.restart(after: .hours(2))
        host.install(Self.entry("3.0"))
        host.advance(by: .hours(1))
        #expect(host.pendingEvents.isEmpty && host.ledger.events.map(\.type) == [.started])
        host.bringLoads()
        host.advance(by: .zero)
        #expect(host.pendingEvents.contains(.fetch))
    }

    @Test(.proves(84)) func `a step back of the clock delays a fetch event by at most one interval`() {
        ask(every: .hours(1))
        host.stepWallClock(by: -.days(400))
        host.advance(by: .hours(1))
        #expect(fetches == 1)
    }

    @Test(.proves(84)) func `a fetch event that could not be recorded is replaced by that of the next interval`() {
        ask(every: .hours(1))
        host.commits = .failing
        host.isStrict = false
        host.advance(by: .hours(1))
        #expect(host.plans.isEmpty && host.pendingEvents.isEmpty)
        host.commits = .written
        host.advance(by: .hours(1))
        #expect(fetches == 1)
    }

    // MARK: Permission (statements 6 and 7)

    @Test(.proves(6))
    func `setting a fetch interval is a violation and has no effect in a plugin with permitted identifiers`() {
        ask(every: .hours(1), Self.entry(permitted: ["com.example.news.latest"]))
        #expect(host.ledger.fetches.isEmpty)
        #expect(host.ledger.journal.contains { $0.event == .violation && $0.message.contains("legacy fetch") })
        host.advance(by: .days(1))
        #expect(host.plans.isEmpty)
    }

    @Test(.proves(6)) func `a fetch interval ends when a new version of the plugin permits identifiers`() {
        ask(every: .hours(1))
        host.install(Self.entry("2.0", permitted: ["com.example.news.latest"]))
        host.finishStarting()
        host.forgetThePast()
        host.advance(by: .days(1))
        #expect(host.plans.isEmpty && host.ledger.fetches.isEmpty)
    }

    @Test(.proves(84)) func `a fetch interval has no effect without mode fetch`() {
        ask(every: .hours(1), Self.entry(modes: []))
        host.advance(by: .days(1))
        #expect(host.plans.isEmpty && host.ledger.fetches.isEmpty)
    }

    @Test(.proves(7), arguments: ["host", "plugin", "denied", "disabled"])
    func `a plugin that is disabled or whose refresh is off or denied gets no fetch event`(_ how: String) {
        var policy = PluginPolicy()
        policy.isBackgroundRefreshOn = how != "plugin"
        policy.isBackgroundDenied = how == "denied"
        let host = SchedulerDriver()
        ask(every: .hours(1), of: host)
        let off = SchedulerDriver {
            $0.isBackgroundRefreshOn = how != "host"
            policy.isEnabled = how != "disabled"
            $0.plugins[Self.news] = policy
        }
        off.ledger = host.ledger
        off.clock = host.clock
        off.restart(with: host.installed)
        off.finishStarting()
        off.forgetThePast()
        off.advance(by: .days(1))
        #expect(off.plans.isEmpty && off.pendingEvents.allSatisfy { $0 != .fetch })
    }

    @Test(.proves("C17")) func `purging a plugin removes its fetch interval`() {
        ask(every: .hours(1))
        host.remove(Self.news)
        host.purge(Self.news)
        #expect(host.ledger.fetches.isEmpty)
        host.install(Self.entry())
        host.finishStarting()
        host.forgetThePast()
        host.advance(by: .days(1))
        #expect(host.plans.isEmpty)
    }
}
