// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import GRDB
import HostTestKit
import Testing

@testable import TaskLedger

@Suite("An upgrade of the ledger can be rolled back, and is refused where it cannot be completed")
struct UpgradeTests {
    private static let version = Int(LedgerSchema.version) - 1

    /// Replaces the ledger of a stopped host by an empty one in the previous version of the schema, whose counter of
    /// submissions is 41.
    private func putOlderLedger(in host: HostFixture) throws {
        let ledger = host.stateDirectory + "/ledger/ledger.sqlite"
        try FileManager.default.removeItem(atPath: ledger)
        let older = try DatabasePool(path: ledger)
        try LedgerSchema.migrator.migrate(older, upTo: LedgerSchema.steps[Self.version - 1].name)
        try older.writeWithoutTransaction { database in
            try database.execute(sql: "UPDATE counter SET submission = 41, commits = 7")
            _ = try database.checkpoint(.truncate)
        }
        try older.close()
        chmod(ledger, 0o600)
    }

    private func copy(of host: HostFixture) -> String {
        host.stateDirectory + "/ledger/ledger.sqlite.version-\(Self.version)"
    }

    @Test func `the rollback commands of the operators' guide restore the ledger from before an upgrade`() async throws
    {
        try await HostFixture.with { host in
            try await host.stop()
            try putOlderLedger(in: host)
            let check = try await host.check()
            #expect(
                check.status == 0 && check.output.contains("the host copies the ledger to \(copy(of: host))"),
                "\(check)"
            )
            try await host.start()
            try await host.waitForLog("the upgrade") {
                $0.contains("ledger upgraded") && $0.contains("copy=\(copy(of: host))")
            }
            let task = TestPlugin.neighbour.task()
            let after = try await host.submit(task, earliestBegin: HostFixture.tomorrow)
            #expect(after > 41)
            try await host.stop()
            let listed = try await host.check()
            #expect(listed.status == 0 && listed.output.contains("\(copy(of: host)) is a copy of the"), "\(listed)")

            let guide = try String(contentsOfFile: ExampleLibrary.root + "/Documentation/Operators.md", encoding: .utf8)
            let block = try #require(guide.components(separatedBy: "```sh rollback\n").dropFirst().first)
            let commands = try #require(block.components(separatedBy: "```").first)
                .replacingOccurrences(of: "/var/lib/bgtask", with: host.stateDirectory)
                .replacingOccurrences(of: "version-7", with: "version-\(Self.version)")
            let run = try await ProgramRun.of("/bin/sh", ["-eu", "-c", commands])
            #expect(run.status == 0, "\(run)")
            #expect(
                LedgerInspection(path: host.stateDirectory + "/ledger/ledger.sqlite").state
                    == .readable(version: Int64(Self.version))
            )
            #expect(try await host.check().status == 0)

            try await host.start()
            #expect(try await host.client.tasks().pending.isEmpty)
            // The numbers since the upgrade are given again.
            #expect(try await host.submit(task, earliestBegin: HostFixture.tomorrow) <= after)
            try FileManager.default.removeItem(atPath: host.stateDirectory + "/ledger/upgraded")
            try FileManager.default.removeItem(atPath: copy(of: host))
        }
    }

    @Test(.enabled(if: MountedDisk.isPossible))
    func `a host on a disk without space for the copy of its ledger refuses to start, and upgrades once space is free`()
        async throws
    {
        try await MountedDisk.with(size: "3m") { disk in
            try await HostFixture.with(HostSetup(["state-directory": disk.path])) { host in
                try await host.stop()
                try putOlderLedger(in: host)
                try disk.fill()
                var before = try host.stateFiles()
                let full = try await host.refusalToStart()
                #expect(full.contains(disk.path) && full.contains("free space on its disk"), "\(full)")
                #expect(try host.stateFiles() == before)

                // Enough for SQLite to read the ledger.
                try disk.makeRoom(bytes: 64 << 10)
                before = try host.stateFiles()
                let refusal = try await host.refusalToStart()
                #expect(refusal.contains("cannot be upgraded from version \(Self.version)"), "\(refusal)")
                #expect(refusal.contains("KiB free; free space there and start again"), "\(refusal)")
                #expect(try host.stateFiles() == before)
                let check = try await host.check()
                #expect(check.status == 1 && check.output.contains("cannot be upgraded from version"), "\(check)")
                #expect(try host.stateFiles() == before)

                try disk.makeRoom()
                try await host.start()
                #expect(FileManager.default.fileExists(atPath: copy(of: host)))
                try await host.runNeighbour()
                try FileManager.default.removeItem(atPath: copy(of: host))
            }
        }
    }
}
