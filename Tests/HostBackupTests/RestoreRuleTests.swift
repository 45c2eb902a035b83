// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import HostTestKit
import Signatures
import Testing

@testable import HostBackup

@Suite("Rules of a restore: the empty state directory, the incarnation, missing plugins, files of keys")
struct RestoreRuleTests {
    @Test(arguments: [([], true), (["host.lock", "lost+found"], true), (["ledger"], false), (["restoring"], false)])
    func `a state directory with another entry than a lock is not empty, and the refusal names the entry`(
        names: [String],
        isEmpty: Bool
    ) {
        let flaw = StatePlace.flaw(of: names, in: "/var/lib/bgtask")
        #expect((flaw == nil) == isEmpty)
        if let flaw { #expect(flaw.message.contains("it has \(names[0])") && flaw.remedy?.contains("mv ") == true) }
    }

    @Test func `the incarnation after a restore is above that of the backup, and differs from that of another restore`()
    {
        #expect(RestoreMark.incarnation(after: 1, at: 1_769_824_800) == 1_769_824_800)
        #expect(RestoreMark.incarnation(after: 1_769_824_800, at: 1_769_824_800) == 1_769_824_801)
        #expect(RestoreMark.incarnation(after: 9, at: 0) == 10)
        #expect(RestoreMark.incarnation(after: .max, at: 0) == .max)
    }

    @Test func `a plugin of a backup is missing, refused, in another version, or as it was`() {
        let plugin = BackupManifest.Plugin(
            identifier: "com.example.feed",
            manifest: "/etc/bgtask/manifests/feed.yaml",
            manifestSHA256: "m",
            librarySHA256: "l"
        )
        func problem(_ installed: (manifest: String, library: String)?, isRefused: Bool = false) -> MissingPlugin
            .Problem?
        {
            MissingPlugin.problem(of: plugin, installed: installed, isRefused: isRefused)
        }
        #expect(problem(("m", "l")) == nil)
        #expect(problem(("n", "l")) == .otherManifest && problem(("n", "k")) == .otherLibrary)
        #expect(problem(nil) == .missing && problem(nil, isRefused: true) == .refused)
    }

    @Test func `a missing file of keys is restored, and a present one stays`() async throws {
        try await ScratchDirectory.with { directory in
            let path = directory.file("backup.tar")
            let writer = try BackupWriter(path: path)
            try writer.add(.ledger, [1])
            try writer.add(.signers, Array("old".utf8))
            try writer.add(.revoked, Array("old".utf8))
            let manifest = BackupManifest(
                format: 1,
                version: "0.1.0",
                schema: 10,
                incarnation: 1,
                takenAt: "2026-01-31T02:00:00.000000000Z",
                owner: "bgtask",
                pendingRequests: 0,
                runningLaunches: 0,
                plugins: [],
                members: writer.members
            )
            _ = try writer.finish(manifest)
            var policy = ProvenancePolicy()
            policy.signers = directory.file("signers")
            policy.revoked = try directory.write("newer".utf8, to: "revoked")
            let backup = try BackupFile(at: path)
            let results = try TrustFiles(policy).restore(from: backup)
            #expect(results.map(\.result) == [.restored, .kept])
            #expect(directory.text(of: "signers") == "old" && directory.text(of: "revoked") == "newer")
            #expect(try TrustFiles(policy).restore(from: backup).map(\.result) == [.unchanged, .kept])
            TrustFiles.undo(results)
            #expect(directory.text(of: "signers") == nil && directory.text(of: "revoked") == "newer")
        }
    }
}
