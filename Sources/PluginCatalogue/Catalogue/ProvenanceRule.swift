// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem
internal import LocatedYAML
package import Signatures
internal import TaskModel

/// The policy of provenance with the contents of its files at one moment.
package struct ProvenanceRule: Sendable {
    package let policy: ProvenancePolicy
    package let signers: SignersFile
    package let revoked: RevokedKeys
    /// Problems of the file of trusted keys and of the list of revoked keys, each with path, line and remedy.
    package let problems: [String]
    /// Whether the list of revoked keys cannot be used, so that no signature counts.
    let isRevocationUnknown: Bool
    /// The present time in seconds since 1970.
    let now: Int64

    /// The rule of a host without a policy: unsigned and unpinned manifests are allowed, and no key is trusted.
    package static let standard = ProvenanceRule(ProvenancePolicy(), signers: .empty, revoked: .none, at: 0)

    package init(_ policy: ProvenancePolicy, signers: SignersFile, revoked: RevokedKeys, at now: Int64) {
        (self.policy, self.signers, self.revoked, self.now) = (policy, signers, revoked, now)
        problems = []
        isRevocationUnknown = revoked.invalidLine != nil
    }

    /// Reads the files of a policy. A missing file counts as empty; a list of revoked keys that exists and cannot be
    /// used makes every signature invalid.
    package init(reading policy: ProvenancePolicy) {
        var found: [String] = []
        func text(of path: String?, otherwise consequence: String) -> (text: String, isUsable: Bool) {
            guard let path else { return ("", true) }
            var status = stat()
            // Only a missing file has no entries; another error hides them.
            if lstat(path, &status) != 0, [ENOENT, ENOTDIR].contains(errno) { return ("", true) }
            let problems = ProblemCollector(file: path)
            guard let file = SmallFile(path: path, problems: problems) else {
                found += problems.problems.map { "\($0); until then, \(consequence)" }
                return ("", false)
            }
            return (String(decoding: file.bytes, as: UTF8.self), true)
        }
        let list = text(of: policy.signers, otherwise: "no key is trusted")
        let signers = SignersFile(text: list.text)
        found += signers.problems.map {
            "\(policy.signers ?? ""):\($0.line): \($0.message), so this line permits no key; \($0.remedy)"
        }
        let revocations = text(of: policy.revoked, otherwise: "every signature is refused")
        let revoked = RevokedKeys(text: revocations.text)
        if let line = revoked.invalidLine {
            found.append(
                "\(policy.revoked ?? ""):\(line): is not a public key, so every signature is refused; write one public"
                    + " key per line, as in a .pub file"
            )
        }
        self.policy = policy
        self.signers = signers
        self.revoked = revoked
        problems = found
        isRevocationUnknown = !revocations.isUsable || revoked.invalidLine != nil
        now = Int64(time(nil))
    }

    /// Directories in which a change can affect the rule.
    package var directories: Set<String> {
        Set([policy.signers, policy.revoked].compactMap(\.self).map { FilePlace.directory(of: $0) })
    }

    /// Whether a manifest is trusted because it came with a package: the policy trusts packages, the manifest is in a
    /// directory of packages, and only root can change it.
    func isTrustedPackage(_ source: ManifestSource) -> Bool {
        policy.packages == .trust && !source.isOperators && SystemDirectory.weakness(of: source.file) == nil
    }
}
