// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostConfiguration
import HostTestKit
import LinuxSystem
import Logging
import Synchronization
import TaskModel
import Testing

@testable import HostService

@Suite("The host keeps what launches write, within its limits", .timeLimit(.minutes(10)))
final class LaunchLogsTests: Sendable {
    private let second = Mutex<Int64>(100)
    private let feed: PluginIdentifier
    private let mail: PluginIdentifier

    init() throws {
        feed = try #require(PluginIdentifier("com.example.feed"))
        mail = try #require(PluginIdentifier("com.example.mail"))
    }

    /// Runs `body` with logs in a new directory and a clock that shows `second`.
    private func withLogs(
        _ limits: LogLimits = LogLimits(),
        capacity: Int = 8 << 20,
        _ body: (LaunchLogs, DiskThreads, _ directory: String) async throws -> Void
    ) async throws {
        try await ScratchDirectory.with { directory in
            let path = directory.file("logs")
            let logs = logs(at: path, limits, capacity: capacity)
            try await DiskThreads.with { try await body(logs, $0, path) }
        }
    }

    private func logs(at path: String, _ limits: LogLimits = LogLimits(), capacity: Int = 8 << 20) -> LaunchLogs {
        LaunchLogs(
            directory: path,
            limits: limits,
            capacity: capacity,
            now: { [self] in WallTime(nanoseconds: second.withLock { $0 } * 1_000_000_000) },
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private func write(
        _ text: String,
        to logs: LaunchLogs,
        launch: Int64,
        of plugin: PluginIdentifier? = nil,
        level: LogLevel = .info,
        task: String? = nil,
        tasks: [String] = []
    ) {
        let number = LaunchNumber(rawValue: launch)
        logs.write(text, level, .stdout, task: task, of: number, plugin ?? feed, tasks: tasks)
    }

    private func texts(
        _ logs: LaunchLogs,
        _ threads: DiskThreads,
        _ filter: LogFilter = LogFilter(),
        launches: Set<LaunchNumber>? = nil,
        before: LogPosition? = nil,
        limit: Int = 1_000
    ) async throws -> [String] {
        let selection = LogSelection(filter: filter, launches: launches, before: before, limit: limit)
        return try await logs.newest(selection, on: threads).map(\.record.text)
    }

    /// Expects that the logs have these texts.
    private func expect(
        _ expected: [String],
        in logs: LaunchLogs,
        _ threads: DiskThreads,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await texts(logs, threads)
        #expect(found == expected, sourceLocation: location)
    }

    @Test func `a line is one record of a private file, with its control characters escaped`() async throws {
        try await withLogs { logs, threads, path in
            write("a\tb\n\u{1b}[2J", to: logs, launch: 41, level: .warning, task: "com.example.feed.refresh")
            try await expect(["a\tb\n\u{1b}[2J".terminalSafe], in: logs, threads)
            let file = "\(path)/com.example.feed/41.log"
            let text = try #require(FileBytes.text(file))
            #expect(
                text == "1970-01-01T00:01:40.000000000Z\t1\twarning\tstdout\tcom.example.feed.refresh\t"
                    + "a\tb\n\u{1b}[2J".terminalSafe + "\n"
            )
            for place in [file, "\(path)/com.example.feed", path] {
                let mode = try FileManager.default.attributesOfItem(atPath: place)[.posixPermissions] as? Int
                #expect(mode.map { $0 & 0o077 } == 0, "\(place)")
            }
        }
    }

    @Test func `nothing is created before the first line, and without logs nothing is ever created`() async throws {
        try await withLogs { logs, threads, path in
            try await expect([], in: logs, threads)
            logs.ended(LaunchNumber(rawValue: 1))
            #expect(!FilePlace.exists(path))
        }
        var off = LogLimits()
        off.total = 0
        try await withLogs(off) { logs, threads, path in
            write("lost", to: logs, launch: 1)
            try await expect([], in: logs, threads)
            #expect(!FilePlace.exists(path))
        }
    }

    @Test func `lines are found by launch, plugin, task, level, time and text, after a restart as well`() async throws {
        try await withLogs { first, threads, path in
            write("begins", to: first, launch: 1, tasks: ["a.b", "a.c"])
            second.withLock { $0 = 200 }
            write("Task B", to: first, launch: 1, level: .error, task: "a.b")
            write("task c", to: first, launch: 1, level: .debug, task: "a.c")
            second.withLock { $0 = 300 }
            write("mail", to: first, launch: 2, of: mail)
            for logs in [first, self.logs(at: path)] {
                try await expect(["begins", "Task B", "task c", "mail"], in: logs, threads)
                #expect(try await texts(logs, threads, LogFilter(launch: .init(rawValue: 2))) == ["mail"])
                #expect(try await texts(logs, threads, LogFilter(plugin: mail)) == ["mail"])
                let ofTask = try await texts(logs, threads, LogFilter(task: "a.b"), launches: [.init(rawValue: 1)])
                #expect(ofTask == ["begins", "Task B"])
                #expect(try await texts(logs, threads, LogFilter(level: .warning)) == ["Task B"])
                #expect(try await texts(logs, threads, LogFilter(text: "TASK")) == ["Task B", "task c"])
                let times = LogFilter(
                    since: WallTime(nanoseconds: 150_000_000_000),
                    until: WallTime(nanoseconds: 250_000_000_000)
                )
                #expect(try await texts(logs, threads, times) == ["Task B", "task c"])
                #expect(try await texts(logs, threads, limit: 2) == ["task c", "mail"])
            }
        }
    }

    @Test func `pages that go back with the position of their first line have every line once, across launches`()
        async throws
    {
        try await withLogs { logs, threads, _ in
            for number in 0..<20 {
                second.withLock { $0 += Int64(number % 3) }
                write("\(number)", to: logs, launch: Int64(1 + number % 2))
            }
            var (pages, before): ([String], LogPosition?) = ([], nil)
            repeat {
                let selection = LogSelection(filter: LogFilter(), before: before, limit: 3)
                let page = try await logs.newest(selection, on: threads)
                pages = page.map(\.record.text) + pages
                before = page.first?.position
            } while before != nil
            #expect(pages.sorted() == (0..<20).map(String.init).sorted())
        }
    }

    @Test func `a launch beyond its limit keeps its newest lines, and their numbers show the gap`() async throws {
        var limits = LogLimits()
        limits.launch = 16_384
        try await withLogs(limits) { logs, threads, path in
            for number in 1...1_000 { write("line \(number)", to: logs, launch: 1) }
            let selection = LogSelection(filter: LogFilter(), limit: 10_000)
            let kept = try await logs.newest(selection, on: threads)
            #expect(kept.last?.record.text == "line 1000" && kept.count > 50 && kept.count < 400)
            #expect(kept.first?.record.number == Int64(1_001 - kept.count))
            let sizes = FilePlace.names(in: "\(path)/com.example.feed").map { name in
                FileBytes.text("\(path)/com.example.feed/\(name)")?.utf8.count ?? 0
            }
            #expect(sizes.count == 2 && sizes.allSatisfy { $0 <= 8_192 })
        }
    }

    @Test func `the oldest launches are deleted beyond the limit of their plugin, across a restart`() async throws {
        var limits = LogLimits()
        limits.plugin = 3 * 4_096
        try await withLogs(limits) { first, threads, path in
            for launch in 1...4 { write("old", to: first, launch: Int64(launch)) }
            write("mail", to: first, launch: 5, of: mail)
            try await expect(["old", "old", "old", "mail"], in: first, threads)
            let logs = self.logs(at: path, limits)
            write("new", to: logs, launch: 6)
            try await expect(["old", "old", "mail", "new"], in: logs, threads)
            #expect(FilePlace.names(in: "\(path)/com.example.feed") == ["3.log", "4.log", "6.log"])
        }
    }

    @Test func `pruning deletes old logs of ended launches, with the empty directory of their plugin`() async throws {
        try await withLogs { logs, threads, path in
            // The file times are those of the machine, and a log of this host has the time of its last line.
            write("mail", to: logs, launch: 1, of: mail)
            write("running", to: logs, launch: 2)
            logs.ended(LaunchNumber(rawValue: 1))
            second.withLock { $0 += 14 * 86_400 }
            await logs.prune()
            try await expect(["mail", "running"], in: logs, threads)
            second.withLock { $0 += 1 }
            await logs.prune()
            try await expect(["running"], in: logs, threads)
            #expect(FilePlace.names(in: path) == ["com.example.feed"])
        }
    }

    @Test func `a deletion of a plugin's logs keeps those of other plugins`() async throws {
        try await withLogs { logs, threads, path in
            for launch in 1...3 { write("feed", to: logs, launch: Int64(launch)) }
            write("mail", to: logs, launch: 4, of: mail)
            #expect(await logs.delete(of: feed) == 3)
            try await expect(["mail"], in: logs, threads)
            #expect(FilePlace.names(in: path) == ["com.example.mail"])
            #expect(await logs.delete(of: feed) == 0)
        }
    }

    @Test func `lines that cannot be written are counted, and a line with their number follows`() async throws {
        try await withLogs { logs, threads, path in
            // A file at the place of the directory: every write fails.
            try "".write(toFile: path, atomically: true, encoding: .utf8)
            for text in ["one", "two"] {
                write(text, to: logs, launch: 1)
                try await expect([], in: logs, threads)
            }
            try FileManager.default.removeItem(atPath: path)
            write("three", to: logs, launch: 1)
            #expect(
                try await texts(logs, threads) == ["lines not kept: 2; the disk was too slow or full", "three"]
            )
        }
    }

    @Test func `a log of an earlier ledger is deleted when a launch with its number writes`() async throws {
        try await withLogs { first, threads, path in
            write("of an earlier ledger", to: first, launch: 1, of: mail)
            let left = try await texts(first, threads)
            #expect(left.count == 1)
            let logs = self.logs(at: path)
            write("new", to: logs, launch: 1)
            try await expect(["new"], in: logs, threads)
        }
    }

    @Test func `a follower receives exactly the lines after its snapshot, and ends with its launch`() async throws {
        try await withLogs { logs, threads, _ in
            write("before", to: logs, launch: 1)
            let follower = LogFollower(LogFilter(launch: LaunchNumber(rawValue: 1)))
            let snapshot = await logs.follow(follower)
            write("after", to: logs, launch: 1)
            write("other", to: logs, launch: 2)
            let selection = LogSelection(filter: follower.filter, limit: 10)
            _ = try await texts(logs, threads)
            let earlier = try await logs.newest(selection, of: snapshot, on: threads)
            #expect(earlier.map(\.record.text) == ["before"])
            logs.ended(LaunchNumber(rawValue: 1))
            var later: [String] = []
            for await entry in follower.entries { later.append(entry.record.text) }
            #expect(later == ["after"])
            logs.unfollow(follower)
        }
    }

    @Test func `a follower of a task receives its lines and those without a task, of its launches only`() async throws {
        try await withLogs { logs, threads, _ in
            let follower = LogFollower(LogFilter(task: "a.b"))
            _ = await logs.follow(follower)
            write("launch", to: logs, launch: 1, tasks: ["a.b", "a.c"])
            write("own", to: logs, launch: 1, task: "a.b", tasks: ["a.b", "a.c"])
            write("other", to: logs, launch: 1, task: "a.c", tasks: ["a.b", "a.c"])
            write("elsewhere", to: logs, launch: 2, tasks: ["a.c"])
            _ = try await texts(logs, threads)
            follower.finish()
            var received: [String] = []
            for await entry in follower.entries { received.append(entry.record.text) }
            #expect(received == ["launch", "own"])
        }
    }

    @Test func `a slow follower loses lines beyond its buffer, and a line has their number`() async throws {
        let follower = LogFollower(LogFilter(), capacity: 2)
        let entry = { [feed] (number: Int64) in
            let record = LogRecord(
                at: WallTime(nanoseconds: 0),
                number: number,
                .info,
                .log,
                task: nil,
                text: "\(number)"
            )
            return LogEntry(plugin: feed, launch: LaunchNumber(rawValue: 1), record: record)
        }
        for number in 1...5 { follower.offer(entry(Int64(number)), tasks: []) }
        var received = follower.entries.makeAsyncIterator()
        #expect(await received.next()?.record.text == "1")
        #expect(await received.next()?.record.text == "2")
        follower.offer(entry(6), tasks: [])
        #expect(await received.next()?.record.text.hasPrefix("lines left out: 3;") == true)
        #expect(await received.next()?.record.text == "6")
    }

    // A plugin writes lines of up to 32 KiB.
    @Test func `a slow follower keeps no more bytes than its buffer has, however few lines they are`() async throws {
        let follower = LogFollower(LogFilter(), byteCapacity: 10)
        let entry = { [feed] (number: Int64, text: String) in
            let record = LogRecord(at: WallTime(nanoseconds: 0), number: number, .info, .log, task: nil, text: text)
            return LogEntry(plugin: feed, launch: LaunchNumber(rawValue: 1), record: record)
        }
        for (number, text) in ["123456", "1234", "1", "1"].enumerated() {
            follower.offer(entry(Int64(number) + 1, text), tasks: [])
        }
        var received = follower.entries.makeAsyncIterator()
        #expect(await received.next()?.record.number == 1)
        #expect(await received.next()?.record.number == 2)
        // A line that is longer than the buffer is kept when it is the only one, as this remark is.
        follower.offer(entry(5, "1"), tasks: [])
        #expect(await received.next()?.record.text.hasPrefix("lines left out: 2;") == true)
        follower.offer(entry(6, "1"), tasks: [])
        #expect(await received.next()?.record.text.hasPrefix("lines left out: 1;") == true)
    }
}
