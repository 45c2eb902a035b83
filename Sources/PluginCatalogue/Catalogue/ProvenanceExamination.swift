// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LinuxSystem
internal import LocatedYAML
internal import Signatures
internal import TaskModel

/// Examination of a manifest's signature and pins under a rule of provenance. Reports the first problem that refuses
/// the manifest, and notes.
struct ProvenanceExamination {
    let rule: ProvenanceRule
    let manifest: Manifest
    let source: ManifestSource
    /// Path of the library; nil when there is none.
    let libraryPath: String?
    let problems: ProblemCollector

    /// The provenance; nil when the manifest is refused.
    func provenance(_ signature: ExaminedSignature) -> Provenance? {
        let isPackage = isTrustedPackage
        var signer: Provenance.Signer?
        switch verdict(on: signature) {
        case .refused: return nil
        case .accepted(let accepted): signer = accepted
        case .unaccepted(let cause, let remedy):
            if !isPackage, !allowsUnsigned(cause, remedy, hasSignature: !signature.isMissing) { return nil }
        }
        let reference = manifest.library
        if !reference.isPinned, !isPackage, !allowsUnpinned() { return nil }
        return Provenance(
            source: signer != nil ? .signed : isPackage ? .package : .unsigned,
            isPinned: reference.isPinned,
            files: reference.files.map { Provenance.File(name: $0.name, digest: $0.digest.value) },
            signer: signer
        )
    }

    /// Whether the manifest and its library are trusted because they came with a package: only root can change them. A
    /// pinned library may be changeable, because its digest identifies the file.
    private var isTrustedPackage: Bool {
        guard rule.isTrustedPackage(source) else { return false }
        guard !manifest.library.isPinned, let path = libraryPath, let weak = SystemDirectory.weakness(of: path) else {
            return true
        }
        problems.note(
            .unpinnedLibrary,
            at: manifest.library.path,
            "is \(path.inQuotes) of a package, but other users than root can change \(weak.inQuotes), so the"
                + " plugin counts as unsigned",
            remedy: "install the package again, or let only root change \(weak.inQuotes)"
        )
        return false
    }

    private enum Verdict {
        case accepted(Provenance.Signer)
        /// The manifest counts as unsigned, for this cause.
        case unaccepted(cause: String, remedy: String)
        /// The manifest is refused under every policy; the problem is reported.
        case refused
    }

    private func verdict(on signature: ExaminedSignature) -> Verdict {
        switch signature {
        case .missing:
            return .unaccepted(
                cause: "has no signature",
                remedy: "install a version with a signature of a trusted key beside its manifest"
            )
        case .unreadable(let path, let cause):
            return refuse(
                .signature,
                "has the signature \(path.inQuotes), which \(cause)",
                "put the vendor's signature there, readable for the host's user"
            )
        case .refused(let path, let problem, _) where problem.isBroken:
            return refuse(.signature, "has a signature in \(path.inQuotes), which \(problem.message)", problem.remedy)
        case .refused(_, let problem, let key):
            // A revocation also applies to a key whose signatures this version cannot verify.
            return key.flatMap(revocation) ?? .unaccepted(cause: Self.cause(problem), remedy: problem.remedy)
        case .valid(let key): return revocation(of: key) ?? verdict(on: key)
        }
    }

    /// The verdict on a signature by a revoked key, or while the list of revoked keys is unknown; nil for other keys.
    private func revocation(of key: PublicKey) -> Verdict? {
        let fingerprint = key.fingerprint
        if rule.isRevocationUnknown {
            return refuse(
                .revokedKey,
                "has a signature by the key \(fingerprint), and the list of revoked keys cannot be used",
                "make \(rule.policy.revoked ?? "it") a readable file with one public key per line, as in a .pub file"
            )
        }
        if rule.revoked.contains(key) {
            let problem = SignatureProblem.revoked(fingerprint: fingerprint)
            return refuse(.revokedKey, Self.cause(problem), problem.remedy)
        }
        return nil
    }

    private func verdict(on key: PublicKey) -> Verdict {
        let fingerprint = key.fingerprint
        do throws(SignatureProblem) {
            let entry = try rule.signers.entry(for: key, principal: manifest.identifier.value.text, at: rule.now)
            guard manifest.library.isPinned else {
                return .unaccepted(
                    cause: "counts as unsigned: its signature by the key \(fingerprint) does not cover the library,"
                        + " because the manifest does not contain the library's digest",
                    remedy: "\(pinning), and sign the manifest again"
                )
            }
            return .accepted(
                Provenance.Signer(keyType: key.type, fingerprint: fingerprint, principals: entry.principals.text)
            )
        } catch {
            return .unaccepted(cause: Self.cause(error), remedy: error.remedy)
        }
    }

    private static func cause(_ problem: SignatureProblem) -> String { "has a signature that \(problem.message)" }

    private func refuse(_ rule: DocumentProblem.Rule, _ message: String, _ remedy: String) -> Verdict {
        problems.report(rule, at: place, "\(subject) \(message)", remedy: remedy)
        return .refused
    }

    private func allowsUnsigned(_ cause: String, _ remedy: String, hasSignature: Bool) -> Bool {
        let choice = rule.policy.unsigned
        let problem: DocumentProblem.Rule = hasSignature ? .unacceptedSignature : .unsigned
        // Without a policy, only an existing signature deserves an explanation.
        if choice == .refuse {
            let policy = "the host refuses unsigned plugins (provenance.unsigned)"
            problems.report(problem, at: place, "\(subject) \(cause); \(policy)", remedy: remedy)
        } else if choice == .warn || hasSignature {
            problems.note(problem, at: place, "\(subject) \(cause)", remedy: remedy)
        }
        return choice != .refuse
    }

    private func allowsUnpinned() -> Bool {
        let message = "is not pinned: the manifest of \(subject) does not contain the digest of this library"
        let remedy =
            pinning
            + (isPropertyList ? "" : ", or install the vendor's manifest with: bgtask plugin install --pin")
        switch rule.policy.unpinned {
        case .allow: return true
        case .warn:
            problems.note(.unpinnedLibrary, at: manifest.library.path, message, remedy: remedy)
            return true
        case .refuse:
            let policy = "the host refuses unpinned plugins (provenance.unpinned)"
            problems.report(.unpinnedLibrary, at: manifest.library.path, "\(message); \(policy)", remedy: remedy)
            return false
        }
    }

    private var isPropertyList: Bool { source.file.hasSuffix(".plist") }

    private var pinning: String {
        "write the library's digest under sha256"
            + (isPropertyList ? " in a YAML manifest, which replaces the property list" : "")
    }

    private var subject: String { "\"\(manifest.identifier.value)\"" }
    private var place: Field<PluginIdentifier> { manifest.identifier }
}
