// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The description of a backup, which is its member `manifest.json`.
package struct BackupManifest: Codable, Hashable, Sendable {
    /// The format that this program writes, and the newest one that it reads. Further keys do not change it.
    package static let presentFormat = 1

    /// The digest of a member of the backup.
    package struct Member: Codable, Hashable, Sendable {
        package let name: String
        /// Size in bytes.
        package let size: Int
        /// SHA-256 in lower-case hexadecimal.
        package let sha256: String
    }

    /// A plugin that was installed at the time of the backup. Its files are not in the backup.
    package struct Plugin: Codable, Hashable, Sendable {
        package let identifier: String
        /// Path of the manifest.
        package let manifest: String
        package let manifestSHA256: String
        package let librarySHA256: String

        enum CodingKeys: String, CodingKey {
            case identifier, manifest
            case manifestSHA256 = "manifest_sha256"
            case librarySHA256 = "library_sha256"
        }
    }

    package let format: Int
    /// Version of the program that made the backup.
    package let version: String
    /// Version of the schema of the ledger.
    package let schema: Int64
    /// Incarnation of the ledger.
    package let incarnation: Int64
    /// Time of the backup in RFC 3339.
    package let takenAt: String
    /// Name of the account that owned the state directory.
    package let owner: String
    package let pendingRequests: Int
    /// Number of launches that ran at the time of the backup. After a restore their tasks are interrupted.
    package let runningLaunches: Int
    package let plugins: [Plugin]
    /// The members before the manifest, in their order.
    package let members: [Member]

    enum CodingKeys: String, CodingKey {
        case format, version, schema, incarnation, owner, plugins, members
        case takenAt = "taken_at"
        case pendingRequests = "pending_requests"
        case runningLaunches = "running_launches"
    }
}

/// The part of a manifest that every format has.
struct BackupFormat: Codable {
    let format: Int
}
