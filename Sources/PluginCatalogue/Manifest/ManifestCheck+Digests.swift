// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Rules for digests. Like the library, a digest is written either once, or once for each architecture.
extension ManifestCheck {
    /// The architectures for which the manifest names a library; nil when it names one library for every machine, or
    /// none.
    var architectures: [String]? { draft.library?.names }

    /// The digests of the libraries by architecture; the key is nil for a library without architecture.
    func pins() -> [String?: Field<String>] {
        guard let pins = draft.pinnedDigest else { return [:] }
        switch pins {
        case .one(let field):
            guard let digest = digest(field) else { return [:] }
            guard let names = architectures else { return [nil: digest] }
            let example = names.map { "\($0): DIGEST" }.joined(separator: ", ")
            problems.report(
                .wrongType,
                at: field,
                "is one digest, but library has one file for each architecture",
                remedy: "write sha256: { \(example) }"
            )
            return [:]
        case .each(let fields):
            checkNames(fields, rule: .wrongValue)
            notePartialPins(fields)
            let digests = fields.value.compactMap { name, value in digest(value).map { (name.value, $0) } }
            return Dictionary(digests.map { (Optional($0.0), $0.1) }) { first, _ in first }
        }
    }

    /// Reports digests that do not match the architectures of the library: digests for each architecture when the
    /// library is one file, an empty mapping, and each name that is not an architecture of the library.
    func checkNames(
        _ fields: Field<[(name: Field<String>, value: Field<String>)]>,
        rule: DocumentProblem.Rule
    ) {
        // Without a readable library the architectures are unknown.
        guard let library = draft.library else { return }
        guard let names = library.names else {
            problems.report(
                rule,
                at: fields,
                "has one digest for each architecture, but library is one file",
                remedy: "write one digest, or library: { \(host.architecture): PATH }"
            )
            return
        }
        if fields.value.isEmpty {
            problems.report(rule, at: fields, "has no digest", remedy: "write one for each architecture, or remove it")
        }
        for (name, _) in fields.value where !names.contains(name.value) {
            problems.report(
                rule,
                at: name,
                "is not an architecture of library, which has \(names.joined(separator: ", "))",
                remedy: NearestWord.remedy(for: name.value, amongListed: names)
            )
        }
    }

    private func notePartialPins(_ fields: Field<[(name: Field<String>, value: Field<String>)]>) {
        let pinned = fields.value.map(\.name.value)
        let missing = (architectures ?? []).filter { !pinned.contains($0) }
        if missing.isEmpty || fields.value.isEmpty { return }
        problems.note(
            .digest,
            at: fields,
            "has no digest for \(missing.joined(separator: ", ")), so the library is not pinned there",
            remedy: "write the digest of each library"
        )
    }

    /// The digest in lower case; nil when an invalid one was reported.
    func digest(_ field: Field<String>, of subject: String = "the library") -> Field<String>? {
        let text = field.value.lowercased()
        if text.utf8.count == 64, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) {
            return field.map { _ in text }
        }
        problems.report(
            .wrongValue,
            at: field,
            "is \(field.value.inQuotes), not a SHA-256 digest of 64 hexadecimal digits",
            remedy: "write the digits that sha256sum prints for \(subject)"
        )
        return nil
    }
}
