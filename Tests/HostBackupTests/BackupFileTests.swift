// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostConfiguration
import HostTestKit
import Testing

@testable import HostBackup

@Suite("The file of a backup is complete or absent, and a changed member is refused")
struct BackupFileTests {
    private static func manifest(
        format: Int = BackupManifest.presentFormat,
        members: [BackupManifest.Member]
    ) -> BackupManifest {
        BackupManifest(
            format: format,
            version: "0.1.0",
            schema: 10,
            incarnation: 1,
            takenAt: "2026-01-31T02:00:00.000000000Z",
            owner: "bgtask",
            pendingRequests: 2,
            runningLaunches: 1,
            plugins: [],
            members: members
        )
    }

    /// Writes a backup with a ledger of arbitrary bytes. Returns its path.
    private static func write(in directory: ScratchDirectory, format: Int = BackupManifest.presentFormat) throws
        -> String
    {
        let path = directory.file("backup.tar")
        let writer = try BackupWriter(path: path)
        try writer.add(.ledger, Array(repeating: 7, count: 1_000))
        try writer.add(.signers, Array("key".utf8))
        _ = try writer.finish(manifest(format: format, members: writer.members))
        return path
    }

    @Test func `a backup is read as it was written, and nothing is at its path before it is complete`() async throws {
        try await ScratchDirectory.with { directory in
            let path = try Self.write(in: directory)
            let backup = try BackupFile(at: path)
            #expect(backup.manifest.members.map(\.name) == ["ledger.sqlite", "trust/allowed_signers"])
            #expect(backup.manifest.members.map(\.size) == [1_000, 3] && backup.manifest.pendingRequests == 2)
            #expect(try backup.bytes(of: .signers) == Array("key".utf8) && !backup.has(.containers))
            try directory.remove("backup.tar")
            do {
                let writer = try BackupWriter(path: path)
                try writer.add(.ledger, [1])
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }

    @Test func `a flipped bit in any byte of a backup is refused`() async throws {
        try await ScratchDirectory.with { directory in
            let path = try Self.write(in: directory)
            let good = try Data(contentsOf: URL(filePath: path))
            for place in stride(from: 0, to: good.count, by: 7) {
                var changed = good
                changed[place] ^= 0x20
                let damaged = try directory.write(changed, to: "damaged.tar")
                #expect(throws: BackupError.self, "byte \(place)") { try BackupFile(at: damaged) }
            }
        }
    }

    @Test func `a backup of a newer format is refused with the remedy to use a newer program`() async throws {
        try await ScratchDirectory.with { directory in
            let path = try Self.write(in: directory, format: BackupManifest.presentFormat + 1)
            #expect { try BackupFile(at: path) } throws: { error in
                let refusal = error as? BackupError
                return refusal?.message.contains("format 2") == true && refusal?.remedy?.contains("newer") == true
            }
        }
    }
}
