// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LinuxSystem

/// The directories of installed versions: `store/DIGEST` beside a manifest has the library and the pinned files of the
/// version whose manifest has this digest.
///
/// Two versions have different directories, so both can exist at once, and `$ORIGIN` leads to the files of one version.
package enum VersionStore {
    package static let name = "store"

    /// The directory of a version.
    ///
    /// - Parameters:
    ///   - digest: SHA-256 of the manifest's bytes, in lower-case hexadecimal.
    ///   - manifest: path of the manifest.
    package static func directory(of digest: String, beside manifest: String) -> String {
        let directory = FilePlace.directory(of: manifest)
        return "\(directory == "/" ? "" : directory)/\(name)/\(digest)"
    }

    /// Path of the manifest's signature in the store. A signature there belongs to one version, so that manifest and
    /// signature are exchanged together.
    package static func signature(of digest: String, beside manifest: String) -> String {
        "\(directory(of: digest, beside: manifest))/manifest.sig"
    }
}
