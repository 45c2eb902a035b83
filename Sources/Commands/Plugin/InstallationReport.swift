// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import PluginCatalogue
import PluginInstaller
import TaskModel

/// The output of `plugin install`: the plugin, its rights and the outcome. `format` is the version of the structure of
/// its JSON.
struct InstallationReport: Encodable {
    enum Outcome: String, Encodable {
        /// The files are written, and the host uses the plugin.
        case accepted
        /// The files are written, and a launch still has to load the library of the previous version.
        case loadingPrevious = "loading-previous"
        /// The files are written, and no host that uses their directory was reached.
        case noHost = "no-host"
        /// The files are written, and the host has not confirmed them in time.
        case unconfirmed
        /// No file is written: the consent to the grants is missing, or names other grants.
        case needsConsent = "needs-consent"
        /// No file is written: the command only shows the plan.
        case dryRun = "dry-run"
        /// No file is written: the confirmation is missing.
        case needsConfirmation = "needs-confirmation"

        init(_ verdict: InstallationPlan.Verdict) {
            switch verdict {
            case .noHost: self = .noHost
            case .accepted: self = .accepted
            case .loadingPrevious: self = .loadingPrevious
            case .silent: self = .unconfirmed
            }
        }
    }

    struct GrantsReport: Encodable {
        let digest: String
        let may: [String]
        let mayNot: [String]
        /// The phrases of `may` about rights that the installed version does not have.
        let wider: [String]

        private enum CodingKeys: String, CodingKey {
            case digest, may, wider
            case mayNot = "may_not"
        }
    }

    let format = 1
    let outcome: Outcome
    let plugin: String
    let version: String
    /// The version to be replaced; nil for a first installation, and when the installed manifest is refused.
    let replaces: String?
    /// The features that the manifest requires of a host.
    let requires: [String]
    let manifest: String
    let library: String
    let librarySHA256: String
    /// The architectures for which the manifest names a library; empty when one library serves every machine.
    let architectures: [String]
    let grants: GrantsReport
    let notEnforced: [String]
    let changes: [String]
    let strands: [String]
    /// Files of previous versions that still exist.
    let left: [String]

    init(
        _ plan: InstallationPlan,
        stranding requests: UnpermittedRequests,
        outcome: Outcome,
        left: [String] = []
    ) {
        self.outcome = outcome
        plugin = plan.identifier.text
        version = plan.manifest.version
        replaces = plan.previous?.manifest?.version
        requires = plan.manifest.requires
        manifest = plan.manifestTarget
        library = plan.libraryTarget?.path ?? plan.library.path
        librarySHA256 = plan.library.digest
        architectures = plan.manifest.library.architectures
        grants = GrantsReport(
            digest: plan.consent.digest,
            may: plan.consent.rights.map(\.phrase),
            mayNot: plan.mayNot,
            wider: plan.consent.wider.map(\.phrase)
        )
        notEnforced = plan.notEnforced
        changes = plan.changes
        strands = requests.identifiers
        self.left = left
    }

    func write() throws {
        let json = String(decoding: try WireCoding.encodeReadably(self), as: UTF8.self)
        try CommandContext.current.write(json + "\n")
    }

    private enum CodingKeys: String, CodingKey {
        case format, outcome, plugin, version, replaces, requires, manifest, library, architectures, grants, changes,
            strands, left
        case librarySHA256 = "library_sha256"
        case notEnforced = "not_enforced"
    }
}
