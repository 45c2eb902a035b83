// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Crypto
package import TaskModel

/// The digest that names a list of rights, for the consent of an operator.
package enum GrantsDigest {
    /// The first 128 bits of the SHA-256 of the plugin and its sorted rights, as 32 hexadecimal digits. A vendor who
    /// chooses both versions of a manifest needs about 2^64 attempts to give them one digest.
    package static func of(_ rights: [GrantedRight], for plugin: PluginIdentifier) -> String {
        let lines = ["bgtask grants 1", plugin.text] + Set(rights.map(\.canonicalText)).sorted()
        let hash = SHA256.hash(data: Array(lines.map { $0 + "\n" }.joined().utf8))
        return String(hash.hexadecimal.prefix(32))
    }
}
