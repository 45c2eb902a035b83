// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The result of `bgtask host backup`.
package struct BackupReply: Encodable, Hashable {
    package let file: String
    /// Size of the file in bytes.
    package let bytes: Int
    /// The SHA-256 digest of the manifest, which has the digests of all members. It identifies the backup.
    package let sha256: String
    /// Whether a host used the state directory during the backup.
    package let isRunning: Bool
    /// Whether a file of a container changed while it was read.
    package let hasChangedContainers: Bool
    /// Whether the running host has recorded the backup in its journal.
    package var isJournaled = false
    package let manifest: BackupManifest

    enum CodingKeys: String, CodingKey {
        case file, bytes, sha256, manifest
        case isRunning = "is_running"
        case hasChangedContainers = "has_changed_containers"
        case isJournaled = "is_journaled"
    }

    package init(
        file: String,
        bytes: Int,
        sha256: String,
        isRunning: Bool,
        hasChangedContainers: Bool,
        manifest: BackupManifest
    ) {
        (self.file, self.bytes, self.sha256, self.manifest) = (file, bytes, sha256, manifest)
        (self.isRunning, self.hasChangedContainers) = (isRunning, hasChangedContainers)
    }
}
