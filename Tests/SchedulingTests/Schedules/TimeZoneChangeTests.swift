// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import TaskModel
import Testing

@testable import Scheduling

@Suite("A change of the time zone moves the occurrences of calendar schedules; none is lost or repeated")
struct TimeZoneChangeTests {
    /// A host with a schedule at 02:30 in the time zone of the machine, by default Berlin. The clock is at 12:00 UTC on
    /// 2026-01-01.
    private static func host(
        _ rules: TimeZoneRules = .berlin,
        stagger: Duration = .zero,
        installed: [PluginEntry] = [.app()]
    ) throws -> SchedulerDriver {
        let rule = try #require(CalendarRule("02:30", zone: .machine))
        let host = SchedulerDriver {
            $0.timeZones = .machine(rules)
            $0.plugins[.app, default: PluginPolicy()].schedules = [
                .clean: WorkSchedule(.calendar(rule), stagger: stagger)
            ]
        }
        host.installed = installed
        host.sendCatalogue()
        host.finishStarting()
        host.forgetThePast()
        return host
    }

    /// The times of the launches within the duration, observed every 10 minutes: day of January, hour and minute in
    /// UTC, as in `02T01:30`. Runs each launch to its end.
    private func begins(in duration: Duration, of host: SchedulerDriver) -> [String] {
        var begins: [String] = []
        let end = host.clock.now.wall + duration
        host.advance(by: .zero)
        while host.clock.now.wall < end {
            if !host.running.isEmpty {
                let date = Date(timeIntervalSince1970: Double(host.clock.now.wall.nanoseconds) / 1e9)
                begins.append(String(date.formatted(.iso8601).dropFirst(8).prefix(8)))
                host.runToTheEnd()
            }
            host.advance(by: .minutes(10))
        }
        return begins
    }

    private func change(_ host: SchedulerDriver, to rules: TimeZoneRules) {
        host.send(.timeZonesChanged(.machine(rules)))
    }

    @Test
    func `the next occurrence of a calendar schedule moves at once when the machine's time zone changes`() throws {
        let host = try Self.host()
        let next = { host.scheduler.nextOccurrence(of: .clean, of: .app) }
        #expect(next() == host.clock.now.wall + .hours(13) + .minutes(30))
        change(host, to: .newYork)
        #expect(next() == host.clock.now.wall + .hours(19) + .minutes(30))
        change(host, to: .helsinki)
        #expect(next() == host.clock.now.wall + .hours(12) + .minutes(30))
        #expect(begins(in: .days(2), of: host) == ["02T00:30", "03T00:30"])
    }

    @Test func `a calendar schedule on a machine that moves west has no second occurrence on a date`() throws {
        let host = try Self.host()
        #expect(begins(in: .hours(14), of: host).count == 1)
        // 21:00 on 1 January in New York, where 2 January has still to come.
        change(host, to: .newYork)
        #expect(begins(in: .hours(28), of: host) == [])
        #expect(begins(in: .days(1), of: host) == ["03T07:30"])
    }

    @Test
    func `a calendar schedule on a machine that moved west does not repeat an occurrence after a restart`() throws {
        let host = try Self.host()
        #expect(begins(in: .hours(14), of: host).count == 1)
        change(host, to: .honolulu)
        let next = host.scheduler.nextOccurrence(of: .clean, of: .app)
        host.restart()
        host.finishStarting()
        change(host, to: .honolulu)
        #expect(host.scheduler.nextOccurrence(of: .clean, of: .app) == next)
    }

    @Test func `if a change of time zone skips an occurrence, the calendar schedule submits its request at once`()
        throws
    {
        let host = try Self.host(.newYork)
        host.advance(by: .hours(8))
        // It is 15:00 on 1 January in New York, and 05:00 on 2 January in Tokyo.
        change(host, to: .tokyo)
        #expect(begins(in: .days(2), of: host) == ["01T20:00", "02T17:30", "03T17:30"])
    }

    @Test
    func `an occurrence that is due before its plugin's pending work is loaded submits its request after the load`()
        throws
    {
        let host = try Self.host()
        host.submit(.vacuum, after: .days(3))
        host.loads = .held
        host.restart()
        change(host, to: .helsinki)
        host.advance(by: .hours(13))
        #expect(host.ledger.requests.map(\.request.identifier) == [.vacuum] && host.plans.isEmpty)
        host.bringLoads()
        host.advance(by: .zero)
        #expect(host.running == [.clean])
    }

    @Test func `a calendar schedule has one occurrence per date over seven changes of the time zone`() throws {
        let host = try Self.host()
        var count = 0
        for rules in [.honolulu, .tokyo, .newYork, .berlin, .fixed(hours: 14), .fixed(hours: -12), .berlin]
            as [TimeZoneRules]
        {
            change(host, to: rules)
            count += begins(in: .hours(5), of: host).count
        }
        // 2 January began in Tokyo, 3 January at UTC+14. It is 00:00 on 3 January in Berlin.
        #expect(count == 2)
        #expect(begins(in: .days(2), of: host) == ["04T01:30"])
    }

    @Test
    func `an occurrence within its stagger window is neither lost nor repeated when the time zone changes`() throws {
        let host = try Self.host(stagger: .hours(4))
        let place = try #require(host.scheduler.nextOccurrence(of: .clean, of: .app))
        #expect(place > host.clock.now.wall + .hours(13) + .minutes(40))
        host.advance(by: .hours(13) + .minutes(35))
        change(host, to: .helsinki)
        #expect(begins(in: .hours(4), of: host).count == 1)
    }

    @Test
    func `an occurrence that is being committed when the time zone changes is not repeated in the new zone`() throws {
        let host = try Self.host()
        host.advance(by: .hours(13))
        host.commits = .held
        host.advance(by: .minutes(30))
        change(host, to: .newYork)
        change(host, to: .honolulu)
        host.writeHeldCommits()
        #expect(host.running == [.clean])
        host.runToTheEnd()
        // 02:30 on 3 January in Honolulu.
        let expected = WallTime(nanoseconds: 0) + .seconds(1_767_443_400)
        #expect(host.scheduler.nextOccurrence(of: .clean, of: .app) == expected)
        host.restart()
        host.finishStarting()
        change(host, to: .honolulu)
        host.advance(by: .hours(15))
        #expect(host.running.isEmpty)
    }

    @Test func `an occurrence whose commit fails while the time zone changes is submitted later`() throws {
        let host = try Self.host()
        host.advance(by: .hours(13))
        host.commits = .held
        host.advance(by: .minutes(30))
        change(host, to: .helsinki)
        host.failNextCommit()
        host.writeHeldCommits()
        host.advance(by: .minutes(10))
        #expect(host.running == [.clean])
        host.runToTheEnd()
        #expect(begins(in: .days(1), of: host) == ["03T00:30"])
    }

    @Test func `a report of unchanged time zone rules has no effect on a calendar schedule`() throws {
        let host = try Self.host()
        let before = host.ledger.occurrences
        host.forgetThePast()
        change(host, to: .berlin)
        #expect(host.actions.isEmpty && host.ledger.occurrences == before)
    }

    @Test
    func `interval schedules and schedules in other zones keep their occurrences when a time zone changes`() throws {
        let rule = try #require(CalendarRule("02:30", zone: .utc))
        let host = SchedulerDriver(.studio()) {
            $0.timeZones = .samples
            $0.plugins[.app, default: PluginPolicy()].schedules = [
                .clean: WorkSchedule(.calendar(rule)), .vacuum: WorkSchedule(.every(.hours(5))),
            ]
        }
        let next = { [TaskIdentifier.clean, .vacuum].map { host.scheduler.nextOccurrence(of: $0, of: .app) } }
        let before = next()
        change(host, to: .tokyo)
        host.send(.timeZonesChanged(TimeZoneTable([.named("Europe/Berlin"): .init(name: "", rules: .tokyo)])))
        #expect(next() == before)
    }

    @Test func `a schedule of a plugin that is installed after a change of the zone follows the new zone`() throws {
        let host = try Self.host(installed: [])
        change(host, to: .newYork)
        host.install(.app())
        let next = host.scheduler.nextOccurrence(of: .clean, of: .app)
        #expect(next == host.clock.now.wall + .hours(19) + .minutes(30))
    }

    @Test
    func `a time zone change while a plugin is not installed moves the occurrences of its calendar schedule`() throws {
        let host = try Self.host()
        #expect(begins(in: .hours(14), of: host).count == 1)
        host.remove(.app)
        change(host, to: .newYork)
        host.install(.app())
        host.finishStarting()
        #expect(begins(in: .hours(28), of: host) == [])
        #expect(begins(in: .days(1), of: host) == ["03T07:30"])
    }
}
