// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostConfiguration
import HostTestKit
import Logging
import Scheduling
import TaskModel
import Testing

@testable import HostService

@Suite("A time zone that changes while the host runs is noticed", .timeLimit(.minutes(10)))
struct TimeZoneKeeperTests {
    private static let system = URL(filePath: "/usr/share/zoneinfo")

    private static func install(_ source: String, as name: String, in directory: ScratchDirectory) throws {
        try directory.write(try Data(contentsOf: system.appending(path: source)), to: "zoneinfo/\(name)")
    }

    /// Sets the machine's zone as `timedatectl` and `ln -sf` do: a new link replaces the old one.
    private static func link(to name: String, in directory: ScratchDirectory) throws {
        let new = directory.file("etc/.new")
        try FileManager.default.createSymbolicLink(atPath: new, withDestinationPath: "../zoneinfo/\(name)")
        guard rename(new, directory.file("etc/localtime")) == 0 else { throw HostFailure("cannot rename \(new)") }
    }

    /// Runs `body` with a new directory that contains a database of two zones, and with the changes that a keeper of
    /// this database reports.
    ///
    /// - Parameter known: reads the table that the keeper has at its start.
    private func withKeeper(
        known: (TimeZoneDatabase) throws -> TimeZoneTable = Self.read,
        _ body: (ScratchDirectory, inout AsyncStream<TimeZoneTable>.Iterator) async throws -> Void
    ) async throws {
        try await ScratchDirectory.with { directory in
            for name in ["zoneinfo/Europe", "zoneinfo/America", "etc"] { try directory.makeDirectory(name) }
            for name in ["Europe/Berlin", "America/New_York"] { try Self.install(name, as: name, in: directory) }
            try Self.link(to: "Europe/Berlin", in: directory)
            var database = TimeZoneDatabase()
            database.directory = directory.file("zoneinfo")
            database.localtime = directory.file("etc/localtime")
            let (changes, change) = AsyncStream.makeStream(of: TimeZoneTable.self)
            let (log, table) = (Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, try known(database))
            try await DiskThreads.with { [database] threads in
                let keeper = TimeZoneKeeper(database, known: table, threads: threads, log: log) { change.yield($0) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await keeper.run() }
                    var iterator = changes.makeAsyncIterator()
                    try await body(directory, &iterator)
                    group.cancelAll()
                }
            }
        }
    }

    private static func read(_ database: TimeZoneDatabase) throws -> TimeZoneTable {
        TimeZoneTable([
            .machine: try database.entry(of: .machine),
            .named("America/New_York"): try database.entry(of: .named("America/New_York")),
        ])
    }

    /// The zones of the database with wrong rules. A host that starts with them reports changes at its first reading.
    private static func outdated(_ database: TimeZoneDatabase) throws -> TimeZoneTable {
        TimeZoneTable(try read(database).entries.mapValues { .init(name: $0.name, rules: .utc) })
    }

    @Test func `a time zone change between the start of the host and the first watch is noticed`() async throws {
        try await withKeeper(known: Self.outdated) { _, changes in
            let change = await changes.next()
            #expect(change?.entries.count == 2 && change?[.machine]?.offset(at: 0) == 3_600)
        }
    }

    @Test func `a new link at localtime changes only the machine's time zone`() async throws {
        try await withKeeper(known: Self.outdated) { directory, changes in
            _ = await changes.next()
            try Self.link(to: "America/New_York", in: directory)
            let change = await changes.next()
            #expect(change?.entries.keys.map(\.self) == [.machine])
            #expect(change?.name(of: .machine) == "America/New_York" && change?[.machine]?.offset(at: 0) == -18_000)
        }
    }

    @Test func `an update of tzdata is noticed in the files of the zones in use`() async throws {
        try await withKeeper(known: Self.outdated) { directory, changes in
            _ = await changes.next()
            try Self.install("Asia/Tokyo", as: "America/New_York", in: directory)
            let zone = ScheduleZone.named("America/New_York")
            let named = await changes.next()
            #expect(named?.entries.keys.map(\.self) == [zone] && named?[zone]?.offset(at: 0) == 32_400)
            // The file that localtime links to.
            try Self.install("Asia/Kolkata", as: "Europe/Berlin", in: directory)
            let machine = await changes.next()
            #expect(machine?.entries.keys.map(\.self) == [.machine] && machine?[.machine]?.offset(at: 0) == 19_800)
        }
    }

    @Test func `a time zone whose file is damaged or removed keeps its rules until a valid file exists`() async throws {
        try await withKeeper(known: Self.outdated) { directory, changes in
            _ = await changes.next()
            try directory.write("damaged".utf8, to: "zoneinfo/America/New_York")
            try directory.remove("zoneinfo/Europe/Berlin")
            try Self.install("Asia/Tokyo", as: "America/New_York", in: directory)
            // Neither the damaged nor the missing file was reported.
            let change = await changes.next()
            #expect(change?[.named("America/New_York")]?.offset(at: 0) == 32_400 && change?.entries.count == 1)
            try Self.link(to: "America/New_York", in: directory)
            #expect(await changes.next()?[.machine]?.offset(at: 0) == 32_400)
        }
    }

    @Test func `the occurrences of a calendar rule follow the reported time zone`() async throws {
        let rule = try #require(CalendarRule("02:30", zone: .machine))
        try await withKeeper(known: Self.outdated) { directory, changes in
            var zones = try #require(await changes.next())
            let noon = WallTime(nanoseconds: 1_767_268_800_000_000_000)
            #expect(rule.occurrence(after: noon, in: zones) == noon + .seconds(13 * 3600 + 1800))
            try Self.link(to: "America/New_York", in: directory)
            zones = try #require(await changes.next())
            #expect(rule.occurrence(after: noon, in: zones) == noon + .seconds(19 * 3600 + 1800))
        }
    }
}
