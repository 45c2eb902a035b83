// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
package import PluginCatalogue
package import TaskModel

/// The rights that a plugin gets by its installation, and the consent that they need. The confirmation of a first
/// installation is the consent to its rights. A replacement with wider rights needs a consent of its own, which names
/// the rights by their digest: an operator who confirms every update consents to no right unseen.
package struct GrantsConsent: Hashable {
    /// The rights of the new manifest.
    package let rights: [GrantedRight]
    /// The rights that the installed version lacks; empty for a first installation.
    package let wider: [GrantedRight]
    /// The digest of `rights` for the plugin, which the operator gives with `--accept-grants`.
    package let digest: String

    private let plugin: PluginIdentifier

    /// - Parameter previous: the manifest to be replaced. A refused manifest has no rights.
    package init(to manifest: Manifest, replacing previous: ManifestReading?) {
        plugin = manifest.identifier.value
        rights = manifest.rights
        digest = GrantsDigest.of(rights, for: plugin)
        let before = previous?.manifest?.rights ?? []
        wider = previous == nil ? [] : rights.filter { !$0.isIncluded(in: before) }
    }

    /// Throws when a given consent names other rights, or when none is given although `wider` is not empty.
    ///
    /// - Parameter accepted: the digest to which the operator consents; nil without one.
    package func check(accepted: String?) throws {
        guard accepted != digest else { return }
        if let accepted {
            throw InstallationError(
                "--accept-grants names \(accepted), but the grants of \(plugin) have the digest \(digest);"
                    + " nothing was written",
                remedy: "read the grants in the output of this command, and accept them with --accept-grants \(digest)"
            )
        }
        if wider.isEmpty { return }
        throw InstallationError(
            "the new version of \(plugin) may do more than the installed one: it may"
                + " \(wider.map(\.phrase).joined(separator: "; "));"
                + " nothing was written",
            remedy: "to accept these grants, add --accept-grants \(digest)"
        )
    }
}

extension Manifest {
    /// The rights that the manifest requests.
    var rights: [GrantedRight] {
        grants.rights(settings: settings) + (entitlements.contains(.healthResearch) ? [.healthResearch] : [])
    }
}
