// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The result of `bgtask host restore`.
package struct RestoreReply: Encodable, Hashable {
    package let file: String
    package let stateDirectory: String
    /// The incarnation that the ledger gets at the first start.
    package let incarnation: Int64
    package let hasContainers: Bool
    package let trust: [RestoredTrust]
    /// The plugins of the backup that are not installed on this machine as they were.
    package let plugins: [MissingPlugin]
    package let manifest: BackupManifest

    enum CodingKeys: String, CodingKey {
        case file, incarnation, trust, plugins, manifest
        case stateDirectory = "state_directory"
        case hasContainers = "has_containers"
    }
}

/// The result of a restore for one file of trusted or revoked keys.
package struct RestoredTrust: Encodable, Hashable {
    package enum Result: String, Encodable {
        /// The file was missing and has the contents of the backup now.
        case restored
        /// The file had the contents of the backup.
        case unchanged
        /// The file has other contents, which stay: a restore never trusts a key that was revoked since.
        case kept
    }

    package let file: String
    package let result: Result
}

/// A plugin of a backup that is not installed on this machine, or is installed in another version.
package struct MissingPlugin: Encodable, Hashable {
    package enum Problem: String, Encodable {
        case missing
        /// No usable manifest describes the plugin: all manifests with its identifier are refused.
        case refused
        case otherManifest = "other-manifest"
        case otherLibrary = "other-library"
    }

    package let plugin: BackupManifest.Plugin
    package let problem: Problem

    /// The problem of a plugin of the backup; nil when it is installed as it was.
    ///
    /// - Parameters:
    ///   - installed: the digests of manifest and library of the installed plugin; nil when it is not installed.
    ///   - isRefused: whether a manifest with its identifier is refused.
    static func problem(
        of plugin: BackupManifest.Plugin,
        installed: (manifest: String, library: String)?,
        isRefused: Bool
    ) -> Problem? {
        guard let installed else { return isRefused ? .refused : .missing }
        if installed.library != plugin.librarySHA256 { return .otherLibrary }
        return installed.manifest == plugin.manifestSHA256 ? nil : .otherManifest
    }
}
