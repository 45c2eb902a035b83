// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LinuxSystem
internal import LocatedYAML
internal import Signatures
internal import TaskModel

/// Result of examining the signature of one manifest. Whether its key is trusted is not part of it.
enum ExaminedSignature: Sendable {
    case missing
    case unreadable(path: String, String)
    /// The signature cannot be verified, or is not one of this manifest. The key is the one that the signature names;
    /// nil when it names none.
    case refused(path: String, SignatureProblem, PublicKey?)
    /// A signature of the manifest's bytes by the key.
    case valid(PublicKey)

    var isMissing: Bool {
        if case .missing = self { return true }
        return false
    }

    /// The path of the signature: in the store, otherwise beside the manifest; nil when there is none.
    static func path(of manifest: ManifestReading) -> String? {
        let stored = VersionStore.signature(of: manifest.digest, beside: manifest.file)
        return [stored, manifest.file + PluginSignature.suffix].first(where: FilePlace.exists)
    }

    /// Examines the signature at a path, and returns the identity of the file that was read; nil when none was.
    static func examine(path: String, of manifest: ManifestReading) -> (ExaminedSignature, FileIdentity?) {
        let problems = ProblemCollector(file: path)
        guard let file = SmallFile(path: path, problems: problems) else {
            let cause = problems.problems.first?.message ?? "cannot be read"
            return (.unreadable(path: path, cause), nil)
        }
        guard let digests = manifest.messageDigests else { return (.missing, nil) }
        var key: PublicKey?
        do throws(SignatureProblem) {
            let signature = try PluginSignature(text: file.bytes)
            key = signature.key
            try signature.verify(digests)
            return (.valid(signature.key), file.identity)
        } catch {
            return (.refused(path: path, error, key), file.identity)
        }
    }
}
