// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The members that a backup can have; the raw value is the name. The order of the cases is their order in the file.
package enum BackupMember: String, CaseIterable, Hashable, Sendable {
    case ledger = "ledger.sqlite"
    case signers = "trust/allowed_signers"
    case revoked = "trust/revoked_keys"
    /// A tar file of all containers.
    case containers = "containers.tar"
    case manifest = "manifest.json"
    /// The digest of the manifest in the format of `sha256sum`. It comes last: a file without it is incomplete.
    case manifestDigest = "manifest.json.sha256"

    var isRequired: Bool {
        switch self {
        case .ledger, .manifest, .manifestDigest: true
        case .signers, .revoked, .containers: false
        }
    }

    /// Whether the manifest lists the member.
    var isListed: Bool { self != .manifest && self != .manifestDigest }

    /// The flaw of a file with these members; nil for a permitted list: required members are present, and each member
    /// occurs once, in the order of the cases.
    static func flaw(of members: [BackupMember]) -> BackupFlaw? {
        if let missing = allCases.first(where: { $0.isRequired && !members.contains($0) }) {
            return BackupFlaw("it lacks the member \(missing.rawValue)")
        }
        let places = members.compactMap { allCases.firstIndex(of: $0) }
        let isOrdered = zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
        return isOrdered ? nil : BackupFlaw("its members are repeated or not in their order")
    }

    /// The contents of the member `manifest.json.sha256`.
    static func digestLine(_ digest: String) -> String { "\(digest)  \(manifest.rawValue)\n" }
}

/// The reason why a file is not a complete backup, as the end of a sentence.
struct BackupFlaw: Error, Hashable {
    let message: String

    init(_ message: String) { self.message = message }
}
