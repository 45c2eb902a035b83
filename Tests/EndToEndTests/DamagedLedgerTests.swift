// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import Testing

@Suite("A host refuses a damaged ledger, does not overwrite it, and names the remedy")
struct DamagedLedgerTests {
    enum Damage: String, CaseIterable, Sendable {
        case header
        case pages
        case truncation
        case foreignLog
        case newer

        /// A part of the message with which the host refuses the ledger.
        var words: String {
            switch self {
            case .header: "is not an SQLite database"
            case .pages, .truncation: "ledger.sqlite"
            case .foreignLog: "ledger.sqlite-wal is not a usable log of its ledger: it is not a write-ahead log"
            case .newer: "has version 99, but this host supports versions up to"
            }
        }

        func apply(to ledger: String) async throws {
            switch self {
            case .header: try overwrite(ledger, at: 0, count: 100)
            case .pages:
                let query = "select (rootpage - 1) * 4096 from sqlite_schema where name = 'request'"
                let run = try await ProgramRun.of("/usr/bin/sqlite3", ["-readonly", ledger, query])
                try overwrite(ledger, at: #require(UInt64(run.output.dropLast())), count: 4_096)
            case .truncation:
                let file = try FileHandle(forUpdating: URL(filePath: ledger))
                try file.truncate(atOffset: 3 * 4_096)
                try file.close()
            case .foreignLog: try Data(repeating: 0x5a, count: 20_000).write(to: URL(filePath: ledger + "-wal"))
            case .newer: _ = try await ProgramRun.of("/usr/bin/sqlite3", [ledger, "pragma user_version = 99"])
            }
        }

        private func overwrite(_ path: String, at offset: UInt64, count: Int) throws {
            let file = try FileHandle(forUpdating: URL(filePath: path))
            try file.seek(toOffset: offset)
            try file.write(contentsOf: Data(repeating: 0x5a, count: count))
            try file.close()
        }
    }

    @Test(arguments: Damage.allCases)
    func `a damaged ledger is refused and left unchanged, and a restored copy brings its requests back`(
        _ damage: Damage
    ) async throws {
        try await HostFixture.with { host in
            try await host.runNeighbour()
            let waiting = try await host.submit(TestPlugin.neighbour.task(), earliestBegin: HostFixture.tomorrow)
            try await host.stop()
            let ledger = host.stateDirectory + "/ledger/ledger.sqlite"
            let copy = try host.stateFiles()

            try await damage.apply(to: ledger)
            let damaged = try host.stateFiles()
            let refusal = try await host.refusalToStart()
            #expect(refusal.contains(ledger) && refusal.contains(damage.words), "\(refusal)")
            let advice = "bgtask host check --state-directory \(host.stateDirectory) shows the damage"
            let wayOut = damage == .newer ? "start the newer bgtaskd" : advice
            #expect(refusal.contains(wayOut), "\(refusal)")
            #expect(try host.stateFiles() == damaged)

            let check = try await host.check()
            #expect(check.status == 1 && check.output.contains("problem") && check.output.contains(damage.words))
            #expect(check.output.contains("aside") || damage == .newer, "\(check.output)")
            #expect(!check.output.contains("bgtask host check"), "\(check.output)")
            #expect(try host.stateFiles() == damaged)

            try? FileManager.default.removeItem(atPath: ledger + "-wal")
            for (name, bytes) in copy { try bytes.write(to: URL(filePath: host.stateDirectory + "/" + name)) }
            try await host.start()
            #expect(try await host.client.tasks().pending.map(\.submission) == [waiting])
            _ = try await host.client.cancel(host.identifier(TestPlugin.neighbour.task()))
            try await host.runNeighbour()
        }
    }

    @Test func `a damaged ledger that was moved aside, as the message advises, is replaced by an empty one`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.stop()
            let ledger = host.stateDirectory + "/ledger/ledger.sqlite"
            try await Damage.header.apply(to: ledger)
            _ = try await host.refusalToStart()
            try FileManager.default.moveItem(atPath: ledger, toPath: ledger + ".damaged")
            #expect(try await host.check().status == 0)
            try await host.start()
            try await host.runNeighbour()
            try FileManager.default.removeItem(atPath: ledger + ".damaged")
        }
    }
}
