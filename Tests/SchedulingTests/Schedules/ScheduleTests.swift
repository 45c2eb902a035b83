// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("The schedules of an operator submit requests without plugin code")
struct ScheduleTests {
    private static func driver(
        _ schedule: WorkSchedule,
        of identifier: TaskIdentifier = .clean,
        _ entry: PluginEntry = .studio()
    ) -> SchedulerDriver {
        SchedulerDriver(entry) {
            $0.plugins[.app, default: PluginPolicy()].schedules = [identifier: schedule]
        }
    }

    let host = Self.driver(WorkSchedule(.every(.hours(1))))

    /// The times at which work began during the duration, in minutes since the call and rounded up to the next step.
    /// Runs each launch to its end.
    private func begins(in duration: Duration, by step: Duration = .minutes(1), _ host: SchedulerDriver? = nil) -> [Int]
    {
        let host = host ?? self.host
        let start = host.clock.now.wall
        var begins: [Int] = []
        let end = start + duration
        while host.clock.now.wall < end {
            host.advance(by: step)
            if host.running.isEmpty { continue }
            begins.append(Int((host.clock.now.wall - start).wholeNanoseconds / 60_000_000_000))
            host.runToTheEnd()
        }
        return begins
    }

    @Test func `an interval schedule submits a request at the end of each interval`() throws {
        #expect(begins(in: .hours(4)) == [60, 120, 180, 240])
        let entry = try #require(host.journal.last { $0.label == "com.example.app.clean" })
        #expect(entry.event == .task(.succeeded))
    }

    @Test func `a scheduled request has the kind and the required conditions of its schedule`() throws {
        let host = Self.driver(
            WorkSchedule(.every(.hours(1)), kind: .refresh, requiresNetwork: true, requiresExternalPower: true)
        )
        host.change(power: false)
        host.advance(by: .hours(1))
        let request = try #require(host.request(.clean))
        #expect(request.submitter == .schedule && request.request.kind == .refresh)
        #expect(request.request.requiresNetwork && request.request.requiresExternalPower)
        #expect(host.reasons(.clean) == [.externalPower])
    }

    @Test func `scheduled occurrences missed while the host was down are caught up by one request`() {
        host.restart(after: .days(10) + .minutes(30) - .seconds(1))
        host.finishStarting()
        host.advance(by: .seconds(1))
        #expect(host.running == [.clean])
        host.runToTheEnd()
        #expect(begins(in: .hours(2)) == [30, 90])
    }

    @Test func `scheduled occurrences missed during a suspension are caught up by one request`() {
        host.stepWallClock(by: .days(3))
        #expect(host.plans.count == 1)
        host.runToTheEnd()
        host.advance(by: .minutes(59))
        #expect(host.plans.count == 1)
    }

    @Test
    func `while a request of a schedule is pending, scheduled occurrences are skipped and not caught up later`() throws
    {
        host.change(idle: false)
        host.advance(by: .hours(5))
        #expect(host.pending == [.clean])
        let number = try #require(host.request(.clean)).number
        host.advance(by: .hours(5))
        #expect(host.request(.clean)?.number == number)
        host.change(idle: true)
        host.runToTheEnd()
        #expect(begins(in: .hours(2)) == [60, 120])
    }

    @Test func `a schedule submits nothing while its task runs`() {
        let host = SchedulerDriver(.studio()) {
            var budgets = Budgets()
            budgets.processing = .hours(5)
            var policy = PluginPolicy()
            policy.budgets = budgets
            policy.schedules = [.clean: WorkSchedule(.every(.hours(1)))]
            $0.plugins[.app] = policy
        }
        host.advance(by: .hours(1))
        host.enter()
        host.advance(by: .hours(3))
        #expect(host.pending.isEmpty && host.plans.count == 1)
        host.complete(.clean)
        host.advance(by: .hours(1))
        #expect(host.plans.count == 2)
    }

    @Test func `a schedule submits nothing while a request that the plugin submitted for its identifier is pending`() {
        host.submit(.clean, after: .hours(10))
        host.advance(by: .hours(9))
        #expect(host.entries(.replaced).isEmpty && host.plans.isEmpty)
    }

    @Test
    func `a scheduled occurrence whose request is refused is journaled as missed, and later ones are tried again`()
        throws
    {
        let host = Self.driver(WorkSchedule(.every(.hours(1))), of: .headlines)
        host.advance(by: .hours(1))
        let entry = try #require(host.entries(.occurrenceMissed).first)
        #expect(entry.plugin == .app && entry.label == "com.example.app.headlines")
        #expect(entry.message.contains("identifier-not-permitted"))
        host.advance(by: .hours(1))
        #expect(host.entries(.occurrenceMissed).count == 2)
        host.install(.app())
        host.finishStarting()
        host.advance(by: .hours(1))
        #expect(host.running == [.headlines])
    }

    @Test(.proves("C8")) func `a continued request of a schedule is refused as not in foreground`() {
        let host = Self.driver(WorkSchedule(.every(.hours(1)), kind: .continued), of: .album(1))
        host.advance(by: .hours(1))
        #expect(host.entries(.occurrenceMissed).first?.message.contains("not-in-foreground") == true)
    }

    /// For each held commit: whether it records an occurrence, and whether it stores a request.
    private var heldOccurrences: [[Bool]] {
        host.heldCommits.map { commit in
            [
                commit.changes.contains { if case .recordOccurrence = $0 { true } else { false } },
                commit.changes.contains { if case .storeRequest = $0 { true } else { false } },
            ]
        }
    }

    @Test func `a scheduled occurrence is committed with its request, and both are retried after a failed commit`() {
        let before = (host.ledger.occurrences, host.scheduler.nextOccurrence(of: .clean, of: .app))
        host.commits = .held
        host.advance(by: .hours(1))
        #expect(heldOccurrences == [[true, true]])
        host.failNextCommit()
        #expect(host.ledger.occurrences == before.0 && host.pending.isEmpty)
        #expect(host.scheduler.nextOccurrence(of: .clean, of: .app) == before.1)
        host.commits = .written
        host.advance(by: .seconds(5))
        #expect(host.running == [.clean] && host.entries(.occurrenceMissed).isEmpty)
        host.runToTheEnd()
        #expect(begins(in: .hours(2)) == [60, 120])
    }

    @Test func `scheduled occurrences whose commits fail result in one request when commits succeed again`() {
        host.commits = .failing
        host.advance(by: .hours(5))
        #expect(host.pending.isEmpty && host.ledger.occurrences.count == 1)
        host.commits = .written
        host.advance(by: .seconds(5))
        #expect(host.running == [.clean])
        host.runToTheEnd()
        #expect(host.plans.count == 1)
    }

    @Test func `a scheduled occurrence is repeated after a restart only if its commit was not written`() {
        host.commits = .held
        host.advance(by: .hours(1))
        host.commits = .written
        host.restart()
        host.finishStarting()
        host.advance(by: .seconds(1))
        #expect(host.running == [.clean])
        host.restart()
        host.finishStarting()
        host.advance(by: .seconds(1))
        #expect(host.running == [.clean] && host.ledger.requests.isEmpty)
    }

    @Test func `a scheduled occurrence waits while another submission of its identifier is being committed`() {
        host.advance(by: .minutes(59))
        host.commits = .held
        host.submit(.clean, after: .hours(3))
        host.advance(by: .minutes(2))
        #expect(heldOccurrences == [[false, true]])
        host.failNextCommit()
        host.commits = .written
        host.advance(by: .seconds(5))
        #expect(host.running == [.clean])
    }

    @Test
    func `a step back of the clock during the commit of a scheduled occurrence does not stop the schedule`() throws {
        host.commits = .held
        host.stepWallClock(by: .days(400))
        host.stepWallClock(by: -.days(400))
        host.writeHeldCommits()
        host.runToTheEnd()
        let last = try #require(host.ledger.occurrences[.clean])
        #expect(last <= host.clock.now.wall)
        #expect(begins(in: .hours(2)) == [60, 120])
    }

    @Test func `a restart between two scheduled occurrences does not change the schedule`() {
        host.advance(by: .minutes(40))
        host.restart(after: .minutes(5))
        host.finishStarting()
        #expect(begins(in: .hours(2)) == [15, 75])
    }

    @Test
    func `a schedule submits nothing while its plugin is removed, and one request when the plugin is installed again`()
    {
        host.remove(.app)
        host.advance(by: .hours(5))
        #expect(host.pending.isEmpty && host.entries(.occurrenceMissed).isEmpty)
        host.install(.studio())
        host.finishStarting()
        host.advance(by: .seconds(2))
        #expect(host.running == [.clean] && host.entries(.occurrenceMissed).isEmpty)
    }

    // MARK: Stagger

    @Test func `two schedules of a plugin have different fixed delays within their stagger window`() {
        let host = SchedulerDriver(.studio()) {
            $0.plugins[.app, default: PluginPolicy()].schedules = [
                .clean: WorkSchedule(.every(.hours(4)), stagger: .hours(2)),
                .vacuum: WorkSchedule(.every(.hours(4)), stagger: .hours(2)),
            ]
        }
        let begins = begins(in: .hours(13), host)
        #expect(begins.count >= 5)
        let places = Set(begins.map { $0 % 240 })
        #expect(places.count == 2 && places.allSatisfy { $0 < 121 })
    }

    @Test func `a restart within the stagger window of a schedule neither skips nor repeats an occurrence`() {
        let host = Self.driver(WorkSchedule(.every(.hours(4)), stagger: .hours(2)))
        host.advance(by: .hours(4))
        host.restart()
        host.finishStarting()
        #expect(begins(in: .hours(7), host).count == 2)
    }

    // MARK: The clock

    @Test func `a step back of the clock by five minutes does not repeat a scheduled occurrence`() {
        host.advance(by: .hours(1))
        host.runToTheEnd()
        host.stepWallClock(by: -.minutes(5))
        #expect(begins(in: .minutes(60)).isEmpty)
        #expect(begins(in: .minutes(5)) == [5])
    }

    @Test func `a schedule continues after a clock that was 400 days ahead is corrected`() {
        host.stepWallClock(by: .days(400))
        host.runToTheEnd()
        host.stepWallClock(by: -.days(400))
        #expect(begins(in: .hours(2)) == [60, 120])
    }

    @Test func `a schedule continues after a clock that was 400 days ahead is corrected while the host is down`() {
        host.stepWallClock(by: .days(400))
        host.runToTheEnd()
        host.clock.stepWall(by: -.days(400))
        host.restart()
        host.finishStarting()
        #expect(begins(in: .hours(2)) == [60, 120])
    }
}
