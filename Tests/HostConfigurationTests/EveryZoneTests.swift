// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import TaskModel
import Testing

@testable import HostConfiguration
@testable import Scheduling

/// Tests some zones of the installed tzdata by default; all of them with `BGTASK_ZONES=all`.
@Suite("The calendar of time zones is that of tzdata")
struct EveryZoneTests {
    private static let isWhole = ProcessInfo.processInfo.environment["BGTASK_ZONES"] == "all"
    /// Zones with rules in the past or future that no other zone has.
    private static let peculiar: Set = [
        "Africa/Casablanca", "America/Asuncion", "America/Havana", "America/Nuuk", "America/Sao_Paulo",
        "America/St_Johns", "Antarctica/Troll", "Asia/Gaza", "Asia/Tehran", "Australia/Lord_Howe", "Europe/Berlin",
        "Europe/Dublin", "Pacific/Apia", "Pacific/Chatham", "Pacific/Kwajalein", "UTC",
    ]
    private static let start: Int64 = 0
    /// End of the tested period, in seconds since 1970: 2101-01-01.
    private static let end: Int64 = 4_133_980_800

    /// The zones to test, a sample of the database unless `isWhole`: each set of rules once, under its first name.
    private static func zones() throws -> [(name: String, rules: TimeZoneRules)] {
        let database = TimeZoneDatabase()
        var seen: Set<TimeZoneRules> = []
        var zones: [(String, TimeZoneRules)] = []
        for (index, name) in database.names.enumerated() {
            guard isWhole || peculiar.contains(name) || index % 60 == 0 else { continue }
            let rules = try database.entry(of: .named(name)).rules
            if seen.insert(rules).inserted { zones.append((name, rules)) }
        }
        return zones
    }

    /// The changes of offset in the tested period, with the offsets before and after in seconds.
    private static func changes(of rules: TimeZoneRules) -> [(at: Int64, before: Int64, after: Int64)] {
        var changes: [(Int64, Int64, Int64)] = []
        var last = start
        while let next = rules.nextTransition(after: last), next < end {
            let (before, after) = (rules.offset(at: next - 1), rules.offset(at: next))
            if before != after { changes.append((next, before, after)) }
            last = next
        }
        return changes
    }

    /// Instants to test, in seconds since 1970: at each change, one second before it, and about every 20 days. Local
    /// times to test: at and between the bounds of the skipped or repeated hours of each change.
    private static func probes(of rules: TimeZoneRules) -> (instants: [Int64], locals: [Int64]) {
        var instants = Array(stride(from: start, to: end, by: 20 * 86_400 + 4_321))
        var locals: [Int64] = []
        for (at, before, after) in changes(of: rules) {
            instants += [at - 1, at]
            let (low, high) = (at + min(before, after), at + max(before, after))
            locals += [low - 1, low, (low + high) / 2, high - 1, high]
        }
        return (instants, locals)
    }

    @Test func `offsets and local times of time zones from 1970 to 2100 equal those of Python`() async throws {
        let zones = try Self.zones()
        try #require(zones.count > (Self.isWhole ? 300 : 20))
        let lines = zones.map { name, rules in
            let (instants, locals) = Self.probes(of: rules)
            let fields =
                instants.map { "\($0):\(rules.offset(at: $0))" }
                + locals.map { "L\($0):\(rules.firstInstant(reaching: $0))" }
            return name + " " + fields.joined(separator: " ")
        }
        try await ScratchDirectory.with { directory in
            let answers = try directory.write(lines.joined(separator: "\n").utf8, to: "answers")
            let run = try await ProgramRun.of(
                "/usr/bin/python3",
                ["-c", Self.comparison, answers],
                within: .seconds(600)
            )
            #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
            #expect(run.output.split(separator: "\n").first { !$0.hasPrefix("compared") } == nil)
            #expect(run.output.contains("compared \(lines.count) zones"))
            if Self.isWhole { print(run.output) }
        }
    }

    /// A Python program that compares offsets and first instants with those of Python's zoneinfo. It prints each answer
    /// that differs, at most twenty.
    private static let comparison = """
        import sys
        from datetime import datetime, timedelta, timezone
        from zoneinfo import ZoneInfo

        epoch = datetime(1970, 1, 1)

        def offset(instant, zone):
            return int(datetime.fromtimestamp(instant, zone).utcoffset().total_seconds())

        def first(local, zone):
            naive = (epoch + timedelta(seconds=local)).replace(tzinfo=zone)
            earlier = int(naive.utcoffset().total_seconds())
            if local - earlier + offset(local - earlier, zone) == local:
                return local - earlier
            later = int(naive.replace(fold=1).utcoffset().total_seconds())
            low, high = local - max(earlier, later), local - min(earlier, later)
            while high - low > 1:
                middle = (low + high) // 2
                if middle + offset(middle, zone) >= local:
                    high = middle
                else:
                    low = middle
            return high

        zones = answers = wrong = 0
        for line in open(sys.argv[1]):
            name, *fields = line.split()
            zone = ZoneInfo(name)
            zones += 1
            for field in fields:
                question, answer = field.split(":")
                if question[0] == "L":
                    expected = first(int(question[1:]), zone)
                else:
                    expected = offset(int(question), zone)
                answers += 1
                if expected != int(answer) and wrong < 20:
                    wrong += 1
                    print(f"{name} {question}: {answer}, not {expected}")
        print(f"compared {zones} zones, {answers} answers")
        """

    @Test func `a calendar rule has one occurrence on each date around the clock changes of a time zone`() throws {
        var count = 0
        for (name, rules) in try Self.zones() {
            let changes = Self.changes(of: rules)
            for (index, change) in changes.enumerated() {
                // Two changes in a week are left to the comparison with Python.
                let isAlone =
                    (index == 0 || change.at - changes[index - 1].at > 7 * 86_400)
                    && (index == changes.count - 1 || changes[index + 1].at - change.at > 7 * 86_400)
                guard isAlone, change.at > 4 * 86_400, Self.isWhole || index % 4 == 0 else { continue }
                let local = change.at + min(change.before, change.after)
                let length = abs(change.after - change.before)
                for second in [-1800, 0, length / 2, length, length + 1800] {
                    count += 1
                    check(at: (local + second).flooredDivision(by: 86_400).remainder / 60, rules, change, name)
                }
            }
        }
        #expect(count > (Self.isWhole ? 100_000 : 2_000))
        if Self.isWhole { print("checked \(count) rules around changes") }
    }

    /// Compares the occurrences on the five days around a change with those computed from the two offsets alone.
    private func check(
        at minute: Int64,
        _ rules: TimeZoneRules,
        _ change: (at: Int64, before: Int64, after: Int64),
        _ name: String
    ) {
        func instant(_ local: Int64) -> Int64? {
            if local - change.before < change.at { return local - change.before }
            return local - change.after >= change.at ? local - change.after : nil
        }
        let date = (change.at + change.before).flooredDivision(by: 86_400).quotient
        var expected: [Int64] = []
        for date in date - 3...date + 4 {
            let isSkipped = instant(date * 86_400) == nil && instant(date * 86_400 + 86_399) == nil
            if !isSkipped { expected.append(instant(date * 86_400 + minute * 60) ?? change.at) }
        }
        let window = change.at - 2 * 86_400...change.at + 3 * 86_400
        let zones = TimeZoneTable([.machine: .init(name: name, rules: rules)])
        var found: [Int64] = []
        var last = WallTime(nanoseconds: (window.lowerBound - 1) * 1_000_000_000)
        let rule = CalendarRule(hour: Int(minute) / 60, minute: Int(minute) % 60, zone: .machine)
        while let next = rule?.occurrence(after: last, in: zones), next.nanoseconds / 1_000_000_000 <= window.upperBound
        {
            found.append(next.nanoseconds / 1_000_000_000)
            last = next
        }
        if found != expected.filter(window.contains) {
            Issue.record("\(name), change at \(change.at), minute \(minute): \(found), not \(expected)")
        }
    }
}
