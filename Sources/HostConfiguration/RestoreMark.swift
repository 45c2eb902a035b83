// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import LinuxSystem

/// The file that a restore leaves in a state directory for the first host that starts with it.
package struct RestoreMark: Codable, Hashable, Sendable {
    /// Name of the file in the state directory.
    package static let name = "restored.json"
    /// Name of the directory in the state directory that exists until a restore is complete.
    package static let unfinished = "restoring"

    /// The message about a state directory with a restore that is not complete.
    package static func unfinishedProblem(in stateDirectory: String) -> String {
        "the restore into \(stateDirectory) is not complete: \(unfinished) is in it; wait for the end of bgtask host"
            + " restore; if it was killed, delete the contents of the directory and restore the backup again"
    }

    /// The incarnation of the restored ledger.
    package let incarnation: Int64
    /// Time of the backup in RFC 3339.
    package let takenAt: String
    /// Version of the program that made the backup.
    package let version: String

    package init(incarnation: Int64, takenAt: String, version: String) {
        (self.incarnation, self.takenAt, self.version) = (incarnation, takenAt, version)
    }

    /// The incarnation of a ledger that is restored from a backup: higher than that of the backup, and different for
    /// each restore of one backup while the clock is right.
    ///
    /// - Parameter now: time of the restore in seconds since 1970.
    package static func incarnation(after backedUp: Int64, at now: Int64) -> Int64 {
        max(backedUp == .max ? .max : backedUp + 1, now)
    }

    /// Reads the file in a state directory; nil when there is none. Throws when it is not such a file.
    package static func read(in stateDirectory: String) throws(HostError) -> RestoreMark? {
        let path = "\(stateDirectory)/\(name)"
        guard FilePlace.exists(path) else { return nil }
        do {
            return try WireCoding.decode(RestoreMark.self, from: Data(try FileBytes.contents(of: path, limit: 1 << 16)))
        } catch {
            throw HostError(
                code: .stateDirectoryUnusable,
                message: "\(path) is not the file that a restore leaves: \(WireCoding.explanation(of: error));"
                    + " restore the backup again into an empty state directory"
            )
        }
    }

    /// Deletes the file after the host has recorded its contents.
    package static func remove(from stateDirectory: String) { unlink("\(stateDirectory)/\(name)") }

    enum CodingKeys: String, CodingKey {
        case incarnation
        case takenAt = "taken_at"
        case version
    }
}
