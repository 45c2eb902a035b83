// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Scheduling
import Testing

@testable import HostConfiguration

@Suite("The rules of a time zone come from tzdata, and a problem is reported with a remedy")
struct TimeZoneDatabaseTests {
    private static let system = URL(filePath: "/usr/share/zoneinfo")

    /// Runs `body` with a database of two zones, in which a link to one of them is the machine's zone.
    private func with(_ body: (TimeZoneDatabase, ScratchDirectory) async throws -> Void) async throws {
        try await ScratchDirectory.with { directory in
            for name in ["Europe/Berlin", "America/New_York"] {
                try directory.makeDirectory("zoneinfo/" + name.prefix { $0 != "/" })
                let bytes = try Data(contentsOf: Self.system.appending(path: name))
                try directory.write(bytes, to: "zoneinfo/\(name)")
            }
            try directory.makeDirectory("etc")
            var database = TimeZoneDatabase()
            database.directory = directory.file("zoneinfo")
            database.localtime = directory.file("etc/localtime")
            try link("etc/localtime", to: "../zoneinfo/Europe/Berlin", in: directory)
            try await body(database, directory)
        }
    }

    private func link(_ name: String, to target: String, in directory: ScratchDirectory) throws {
        try? directory.remove(name)
        try FileManager.default.createSymbolicLink(atPath: directory.file(name), withDestinationPath: target)
    }

    private func problem(_ database: TimeZoneDatabase, _ zone: ScheduleZone) -> String? {
        do {
            _ = try database.entry(of: zone)
            return nil
        } catch {
            return error.description
        }
    }

    /// The offset of the zone on 2026-07-01, in hours east of UTC.
    private func summer(_ entry: TimeZoneTable.Entry) -> Int64 { entry.rules.offset(at: 1_782_864_000) / 3600 }

    @Test func `a time zone is read from the tzdata file of its name`() async throws {
        try await with { database, _ in
            let berlin = try summer(database.entry(of: .named("Europe/Berlin")))
            #expect(berlin == 2)
            let newYork = try summer(database.entry(of: .named("America/New_York")))
            #expect(newYork == -4)
            #expect(database.names == ["America/New_York", "Europe/Berlin"])
        }
    }

    @Test func `the time zone UTC needs no tzdata file`() throws {
        var database = TimeZoneDatabase()
        database.directory = "/nonexistent"
        for name in ["UTC", "Etc/UTC", "GMT"] {
            #expect(try database.entry(of: .named(name)) == .init(name: name, rules: .utc))
        }
    }

    @Test func `an unknown time zone name is refused with the most similar known name`() async throws {
        try await with { database, directory in
            let zones = directory.file("zoneinfo")
            #expect(
                problem(database, .named("Europe/Berln"))
                    == "is \"Europe/Berln\", which is not a time zone in \(zones); write \"Europe/Berlin\""
            )
            for name in [
                "", "Europe", "../etc/localtime", "Europe/../Europe/Berlin", "/etc/localtime", "Europe/", "a\0",
            ] {
                #expect(problem(database, .named(name)) != nil, "\(name)")
            }
        }
    }

    @Test func `a time zone on a machine without tzdata is refused with the package to install`() {
        var database = TimeZoneDatabase()
        database.directory = "/nonexistent"
        #expect(
            problem(database, .named("Europe/Berlin"))
                == "the time zone database /nonexistent does not exist; install the package tzdata"
        )
    }

    @Test func `a file in tzdata that is not a time zone file is refused with its path`() async throws {
        try await with { database, directory in
            let path = try directory.write("berlin".utf8, to: "zoneinfo/Europe/Berlin")
            #expect(
                problem(database, .named("Europe/Berlin"))
                    == "the time zone file \(path) does not begin with TZif; install the package tzdata again,"
                    + " or choose another time zone"
            )
        }
    }

    @Test func `the machine's time zone is the file that localtime links to, or localtime itself`() async throws {
        try await with { database, directory in
            let linked = try database.entry(of: .machine)
            #expect(linked.name == "Europe/Berlin" && summer(linked) == 2)
            try directory.remove("etc/localtime")
            try directory.write(
                try Data(contentsOf: Self.system.appending(path: "America/New_York")),
                to: "etc/localtime"
            )
            let copied = try database.entry(of: .machine)
            #expect(copied.name == "local time" && summer(copied) == -4)
        }
    }

    @Test
    func `a machine without localtime has the time zone UTC, and a dangling localtime link is a problem`() async throws
    {
        try await with { database, directory in
            try directory.remove("etc/localtime")
            #expect(try database.entry(of: .machine).rules == .utc)
            try link("etc/localtime", to: "/usr/share/zoneinfo/Etc/UTC", in: directory)
            #expect(try database.entry(of: .machine) == .init(name: "Etc/UTC", rules: .utc))
            try link("etc/localtime", to: "/nonexistent/zoneinfo/Europe/Berlin", in: directory)
            #expect(problem(database, .machine)?.contains("install the package tzdata again") == true)
        }
    }

    @Test func `the variable TZ is a time zone name, a path or a rule, and overrides localtime`() async throws {
        try await with { original, directory in
            var database = original
            for (value, hours): (String, Int64) in [
                ("America/New_York", -4), (":America/New_York", -4), (directory.file("zoneinfo/America/New_York"), -4),
                ("XYZ-5", 5), ("EST5EDT", -4), ("", 0), ("UTC", 0),
            ] {
                database.variable = value
                let offset = try summer(database.entry(of: .machine))
                #expect(offset == hours, "\(value)")
            }
            database.variable = "Europe/Berln"
            #expect(problem(database, .machine)?.contains("TZ is \"Europe/Berln\"") == true)
            database.variable = "Europe"
            #expect(problem(database, .machine)?.contains("cannot be read: Is a directory") == true)
        }
    }

    @Test func `the directories to watch are those of the used time zone files and of localtime`() async throws {
        try await with { database, directory in
            let (etc, zones) = (directory.file("etc"), directory.file("zoneinfo"))
            #expect(database.directories(of: [.machine]) == [etc, "\(zones)/Europe"])
            #expect(database.directories(of: [.named("America/New_York")]) == ["\(zones)/America"])
            var overridden = database
            overridden.variable = "XYZ-5"
            // A file of that name would take precedence over the rule.
            #expect(overridden.directories(of: [.machine]) == [zones])
            #expect(database.directories(of: []).isEmpty)
        }
    }
}
