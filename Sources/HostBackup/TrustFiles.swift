// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import Signatures

/// The files of trusted and of revoked keys, at the places of the configuration.
struct TrustFiles {
    let places: [(member: BackupMember, path: String)]

    init(_ policy: ProvenancePolicy) {
        places = [(BackupMember.signers, policy.signers), (.revoked, policy.revoked)].compactMap { member, path in
            path.map { (member, $0) }
        }
    }

    /// Writes the files that are missing. Files that exist stay. When a file cannot be written, the written ones are
    /// deleted.
    func restore(from backup: BackupFile) throws -> [RestoredTrust] {
        var results: [RestoredTrust] = []
        do {
            for (member, path) in places {
                guard let bytes = try backup.bytes(of: member) else { continue }
                results.append(RestoredTrust(file: path, result: try restore(bytes, to: path)))
            }
        } catch {
            Self.undo(results)
            throw error
        }
        return results
    }

    /// Deletes the files that `restore` has written.
    static func undo(_ results: [RestoredTrust]) {
        for written in results where written.result == .restored { unlink(written.file) }
    }

    private func restore(_ bytes: [UInt8], to path: String) throws -> RestoredTrust.Result {
        if FilePlace.exists(path) {
            return FileBytes.read(path, limit: bytes.count + 1) == bytes ? .unchanged : .kept
        }
        do throws(SystemError) {
            try AtomicFile.replace(path, with: bytes)
        } catch {
            throw BackupError(
                error,
                remedy: "create its directory and let this user write there; nothing was restored"
            )
        }
        return .restored
    }
}
