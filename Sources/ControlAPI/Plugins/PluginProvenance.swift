// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The origin of an installed plugin in a reply: its pinned files, and the key that signed its manifest.
package struct PluginProvenance: Codable, Hashable, Sendable {
    package struct File: Codable, Hashable, Sendable {
        package let name: String
        package let digest: String

        private enum CodingKeys: String, CodingKey {
            case name
            case digest = "sha256"
        }
    }

    package struct Signer: Codable, Hashable, Sendable {
        package let keyType: String
        package let fingerprint: String
        package let principals: String

        private enum CodingKeys: String, CodingKey {
            case fingerprint, principals
            case keyType = "key_type"
        }
    }

    /// The evidence that attributes the manifest to its vendor: `signed`, `package`, or `unsigned` for none.
    package let source: String
    package let isPinned: Bool
    package let files: [File]
    /// The key of the accepted signature; nil unless `source` is `signed`.
    package let signer: Signer?

    package init(_ provenance: Provenance) {
        source = provenance.source.rawValue
        isPinned = provenance.isPinned
        files = provenance.files.map { File(name: $0.name, digest: $0.digest) }
        signer = provenance.signer.map {
            Signer(keyType: $0.keyType, fingerprint: $0.fingerprint, principals: $0.principals)
        }
    }

    private enum CodingKeys: String, CodingKey {
        case source, files, signer
        case isPinned = "pinned"
    }
}
