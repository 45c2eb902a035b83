// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Signatures
import TerminalText

/// The output of the `trust` commands: the entries of a signers file, after a change if any, and the lines that the
/// host ignores. `format` is the version of the structure of its JSON.
struct TrustReply: Hashable, Encodable {
    struct Entry: Hashable, Encodable {
        let line: Int
        let principals: String
        let keyType: String
        let fingerprint: String
        let validAfter: String?
        let validBefore: String?
        let namespaces: String?
        let comment: String

        init(_ entry: SignerEntry) {
            line = entry.line
            principals = entry.principals.text
            keyType = entry.key.type
            fingerprint = entry.key.fingerprint
            validAfter = entry.validAfter?.text
            validBefore = entry.validBefore?.text
            namespaces = entry.namespaces?.text
            comment = entry.comment
        }

        private enum CodingKeys: String, CodingKey {
            case line, principals, fingerprint, namespaces, comment
            case keyType = "key_type"
            case validAfter = "valid_after"
            case validBefore = "valid_before"
        }
    }

    struct Problem: Hashable, Encodable {
        let line: Int
        let message: String
        let remedy: String
    }

    let format = 1
    let file: String
    let entries: [Entry]
    /// The lines that the host ignores.
    let problems: [Problem]

    init(_ path: String, _ file: SignersFile) {
        self.file = path
        entries = file.entries.map(Entry.init)
        problems = file.problems.map { Problem(line: $0.line, message: $0.message, remedy: $0.remedy) }
    }
}

extension TrustReply: Presentable {
    func text(for reader: Reader) -> String {
        var table = Table("PLUGINS", "KEY", "FINGERPRINT", "VALID", "COMMENT")
        for entry in entries {
            table.add(entry.principals, entry.keyType, entry.fingerprint, entry.validity, entry.comment)
        }
        let ignored = problems.map { "\(file):\($0.line): ignored: \($0.message); \($0.remedy)\n" }
        return (entries.isEmpty ? "" : table.text) + ignored.joined()
    }
}

extension TrustReply.Entry {
    fileprivate var validity: String {
        switch (validAfter, validBefore) {
        case (nil, nil): "always"
        case (let after?, nil): "after \(after)"
        case (nil, let before?): "before \(before)"
        case (let after?, let before?): "\(after) to \(before)"
        }
    }
}
