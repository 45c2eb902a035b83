// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The origin of an installed plugin: its pinned files, and the key that signed its manifest.
package struct Provenance: Hashable, Sendable {
    /// The evidence that attributes a manifest to its vendor.
    package enum Source: String, Hashable, Sendable, CaseIterable {
        /// No accepted signature, and no trusted package.
        case unsigned
        /// An accepted signature of a key in the signers file.
        case signed
        /// A package of the distribution installed the manifest; the package manager has verified it.
        case package
    }

    /// A file beside the library whose digest the manifest pins.
    package struct File: Hashable, Sendable {
        /// Path relative to the directory of the library.
        package let name: String
        /// SHA-256 in lower-case hexadecimal.
        package let digest: String

        package init(name: String, digest: String) {
            self.name = name
            self.digest = digest
        }
    }

    /// The key of an accepted signature.
    package struct Signer: Hashable, Sendable {
        /// The algorithm, such as `ssh-ed25519`.
        package let keyType: String
        /// The fingerprint, as `ssh-keygen -l` prints it: `SHA256:...`.
        package let fingerprint: String
        /// The principals of the entry in the signers file: patterns of plugin identifiers.
        package let principals: String

        package init(keyType: String, fingerprint: String, principals: String) {
            self.keyType = keyType
            self.fingerprint = fingerprint
            self.principals = principals
        }
    }

    package let source: Source
    /// Whether the manifest pins the library, so that only pinned files run with it.
    package let isPinned: Bool
    package let files: [File]
    /// The signer; nil for a source other than a signature.
    package let signer: Signer?

    package init(source: Source = .unsigned, isPinned: Bool = false, files: [File] = [], signer: Signer? = nil) {
        self.source = source
        self.isPinned = isPinned
        self.files = files
        self.signer = signer
    }
}
