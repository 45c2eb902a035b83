// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import LinuxSystem
import Logging
import Synchronization
import TaskLedger
import TaskModel
import Testing

@testable import HostService

@Suite("Old state is deleted, but not because of a wrong clock")
final class StateCareTests: Sendable {
    private static let day: Int64 = 86_400
    private let clock = HandTurnedClock()
    private let today = Mutex<Int64>(100)

    /// Runs `StateCare` on a ledger with one journal entry for each of the days, until `body` returns.
    private func withCare(
        days: [Int64] = [],
        journalCapacity: Int64 = .max,
        in directory: ScratchDirectory,
        _ body: (Ledger) async throws -> Void
    ) async throws {
        let earlier = try Ledger.open(path: directory.file("ledger.sqlite"))
        try await earlier.commitAndWait(try days.map(Self.entry))
        try earlier.close()
        let ledger = try Ledger.open(path: directory.file("ledger.sqlite"), journalCapacity: journalCapacity)
        let state = try StateDirectory(path: directory.file("state"))
        try await DiskThreads.with { threads in
            let care = StateCare(
                state: state,
                discarded: state.earlierDiscarded(),
                ledger: ledger,
                threads: threads,
                logs: LaunchLogs(directory: directory.file("state/logs"), log: Logger(label: "test")),
                retention: .seconds(90 * Self.day),
                transferRetention: .seconds(7 * Self.day),
                doubt: .seconds(600),
                now: { [self] in WallTime(nanoseconds: today.withLock { $0 } * Self.day * 1_000_000_000) },
                clock: clock,
                log: Logger(label: "test")
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await care.run() }
                try await body(ledger)
                group.cancelAll()
            }
        }
        try ledger.close()
    }

    private static func entry(on day: Int64) throws -> LedgerChange {
        let plugin = try #require(PluginIdentifier("com.example.feed"))
        let instant = WallTime(nanoseconds: day * Self.day * 1_000_000_000)
        return .journal(
            JournalEntry(at: instant, event: .cancelled, plugin: plugin, blame: .user, message: "\(day)")
        )
    }

    private func expect(
        _ ledger: Ledger,
        keeps days: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let entries = try ledger.journal(JournalSelection(limit: 99)).map(\.message)
        #expect(entries == days, sourceLocation: sourceLocation)
    }

    @Test func `no journal entry is deleted in the first ten minutes, also while the clock is far in the future`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            today.withLock { $0 = 50_000 }
            try await withCare(days: [5, 50, 99], in: directory) { ledger in
                #expect(await clock.nextSleep() == .seconds(600))
                clock.advance(by: .seconds(599))
                try expect(ledger, keeps: ["5", "50", "99"])
                today.withLock { $0 = 100 }
                clock.advance(by: .seconds(1))
                #expect(await clock.nextSleep() == .seconds(Self.day))
                try expect(ledger, keeps: ["50", "99"])
            }
        }
    }

    @Test func `old journal entries are deleted once a day`() async throws {
        try await ScratchDirectory.with { directory in
            try await withCare(days: [5, 50, 99], in: directory) { ledger in
                #expect(await clock.nextSleep() == .seconds(600))
                clock.advance(by: .seconds(600))
                #expect(await clock.nextSleep() == .seconds(Self.day))
                for (day, rest) in [(140, ["50", "99"]), (141, ["99"]), (400, [])] {
                    today.withLock { $0 = Int64(day) }
                    clock.advance(by: .seconds(Self.day))
                    #expect(await clock.nextSleep() == .seconds(Self.day))
                    try expect(ledger, keeps: rest)
                }
            }
        }
    }

    @Test func `a file that a plugin does not take is deleted with its transfer after the retention`() async throws {
        try await ScratchDirectory.with { directory in
            let staging = "state/containers/com.example.feed/\(Transfer.directory)"
            try directory.makeDirectory(staging)
            let file = directory.file("\(staging)/1-aa")
            try Data("x".utf8).write(to: URL(filePath: file))
            try await withCare(in: directory) { ledger in
                try await ledger.commitAndWait([.storeTransfer(try Self.transfer(endedOn: 95))])
                #expect(await clock.nextSleep() == .seconds(600))
                clock.advance(by: .seconds(600))
                #expect(await clock.nextSleep() == .seconds(Self.day))
                #expect(FileManager.default.fileExists(atPath: file))
                today.withLock { $0 = 103 }
                clock.advance(by: .seconds(Self.day))
                #expect(await clock.nextSleep() == .seconds(Self.day))
                #expect(!FileManager.default.fileExists(atPath: file))
                #expect(try ledger.transfers().isEmpty)
            }
        }
    }

    private static func transfer(endedOn day: Int64) throws -> Transfer {
        var transfer = Transfer(
            plugin: try #require(PluginIdentifier("com.example.feed")),
            number: SubmissionNumber(rawValue: 1),
            direction: .download,
            session: try #require(TransferSession("main")),
            label: nil,
            url: "https://example.com/a",
            place: "1-aa",
            begunAt: WallTime(nanoseconds: 0)
        )
        transfer.state = .finished
        transfer.endedAt = WallTime(nanoseconds: day * Self.day * 1_000_000_000)
        transfer.file = transfer.filePath
        return transfer
    }

    @Test func `a journal above its capacity is reduced after the first ten minutes`() async throws {
        try await ScratchDirectory.with { directory in
            try await withCare(days: [50, 60, 99], journalCapacity: 400, in: directory) { ledger in
                #expect(await clock.nextSleep() == .seconds(600))
                try expect(ledger, keeps: ["50", "60", "99"])
                clock.advance(by: .seconds(600))
                #expect(await clock.nextSleep() == .seconds(Self.day))
                try expect(ledger, keeps: ["60", "99"])
            }
        }
    }

    @Test func `leftovers of purged containers are deleted at the start, and other containers stay`() async throws {
        try await ScratchDirectory.with { directory in
            let gone = [".purged-com.example.gone/deep", ".purged-com.example.gone-0F/deep"]
            for name in gone + ["com.example.kept/deep"] { try directory.makeDirectory("state/containers/\(name)") }
            try await withCare(in: directory) { _ in
                #expect(await clock.nextSleep() == .seconds(600))
                let left = try FileManager.default.contentsOfDirectory(atPath: directory.file("state/containers"))
                #expect(left == ["com.example.kept"])
            }
        }
    }

    @Test func `a purge during the deletion of an earlier purge's leftovers deletes its own container`() async throws {
        try await ScratchDirectory.with { directory in
            for name in [".purged-com.example.a/old", "com.example.a/new"] {
                try directory.makeDirectory("state/containers/\(name)")
            }
            let state = try StateDirectory(path: directory.file("state"))
            let earlier = state.earlierDiscarded()
            state.discardContainer(of: "com.example.a")
            for path in earlier { while try state.deletePart(of: path) {} }
            let discarded = try #require(state.discarded(of: "com.example.a").first)
            while try state.deletePart(of: discarded) {}
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("state/containers")).isEmpty)
            #expect(state.discarded(of: "com.example.a").isEmpty)
        }
    }

    @Test func `a purge discards the container of a plugin with the longest identifier`() async throws {
        try await ScratchDirectory.with { directory in
            let state = try StateDirectory(path: directory.file("state"))
            let parts = Array(repeating: String(repeating: "a", count: 60), count: 4)
            let plugin = (["com"] + parts + ["longest"]).joined(separator: ".")
            #expect(plugin.utf8.count == 255)
            try directory.makeDirectory("state/containers/\(plugin)")
            state.discardContainer(of: plugin)
            #expect(state.containers().isEmpty && state.discarded(of: plugin).count == 1)
        }
    }

    @Test func `two purges of a plugin at the same time delete both of its containers`() async throws {
        try await ScratchDirectory.with { directory in
            let state = try StateDirectory(path: directory.file("state"))
            for name in ["com.example.a/old/deep", "com.example.a/older", "com.example.ab/kept"] {
                try directory.makeDirectory("state/containers/\(name)")
            }
            state.discardContainer(of: "com.example.a")
            let first = state.discarded(of: "com.example.a")
            #expect(try first.count == 1 && state.deletePart(of: first[0], atMost: 1))
            // The plugin runs once more, and is purged again before the first purge has ended.
            try directory.makeDirectory("state/containers/com.example.a/new/deep")
            state.discardContainer(of: "com.example.a")
            let second = state.discarded(of: "com.example.a")
            #expect(second.count == 2 && Set(first).isSubset(of: second))
            for path in second + first { while try state.deletePart(of: path, atMost: 3) {} }
            #expect(state.containers() == ["com.example.ab"])
            #expect(FilePlace.names(in: directory.file("state/containers")) == ["com.example.ab"])
        }
    }
}
