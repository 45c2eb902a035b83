// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The trusted keys: a file in the format `allowed_signers` of OpenSSH. The principals of an entry are patterns of
/// plugin identifiers.
package struct SignersFile: Hashable, Sendable {
    /// A line that cannot be used. All other lines count.
    package struct Problem: Hashable, Sendable {
        /// Number of the line, from 1.
        package let line: Int
        package let message: String
        package let remedy: String
    }

    package let entries: [SignerEntry]
    package let problems: [Problem]

    package static let empty = SignersFile(text: "")

    package init(text: String) {
        var entries: [SignerEntry] = []
        var problems: [Problem] = []
        for (index, line) in SignersFile.lines(of: text).enumerated() {
            do throws(SignerEntry.Flaw) {
                if let entry = try SignerEntry(line: String(line), number: index + 1) { entries.append(entry) }
            } catch {
                problems.append(Problem(line: index + 1, message: error.message, remedy: error.remedy))
            }
        }
        (self.entries, self.problems) = (entries, problems)
    }

    /// The lines of a text, without the line feed and without a carriage return at the end. `String.split` takes a
    /// carriage return with a line feed for one character, which is no line feed.
    static func lines(of text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
            String($0.last == "\r" ? $0.dropLast() : $0)
        }
    }

    /// The entry by which the key may sign for the plugin. Throws the reason when there is none.
    ///
    /// - Parameters:
    ///   - principal: identifier of the plugin.
    ///   - now: the present time in seconds since 1970.
    package func entry(
        for key: PublicKey,
        principal: String,
        at now: Int64
    ) throws(SignatureProblem) -> SignerEntry {
        let fingerprint = key.fingerprint
        let own = entries.filter { $0.key == key }
        if own.isEmpty { throw .unknownKey(fingerprint: fingerprint) }
        let matching = own.filter { $0.principals.matches(principal) }
        if matching.isEmpty {
            let principals = own.map(\.principals.text).joined(separator: ",")
            throw .foreignPrincipal(fingerprint: fingerprint, principals: principals)
        }
        let allowed = matching.filter { $0.namespaces?.matches(PluginSignature.namespace) ?? true }
        if allowed.isEmpty { throw .namespaceNotAllowed(fingerprint: fingerprint) }
        if let valid = allowed.first(where: { $0.isValid(at: now) }) { return valid }
        if let before = allowed.compactMap(\.validBefore).first(where: { now > $0.seconds }) {
            throw .expired(fingerprint: fingerprint, before: before.text)
        }
        throw .notYetValid(fingerprint: fingerprint, after: allowed.compactMap(\.validAfter).first?.text ?? "")
    }
}

/// The revoked keys: one public key per line, as `ssh-keygen -Y verify -r` reads them.
package struct RevokedKeys: Hashable, Sendable {
    private let blobs: Set<[UInt8]>
    /// Number of the first line in the list of revoked keys that is no key, from 1; nil when there is none. Every
    /// signature is then refused, because the line may revoke the key of the signature.
    package let invalidLine: Int?

    package static let none = RevokedKeys(text: "")

    package init(text: String) {
        var blobs: Set<[UInt8]> = []
        var invalid: Int?
        for (index, line) in SignersFile.lines(of: text).enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            if words.count > 1, let key = try? PublicKey(type: first, base64: words[1]) {
                blobs.insert(key.blob)
            } else {
                invalid = invalid ?? index + 1
            }
        }
        (self.blobs, invalidLine) = (blobs, invalid)
    }

    package var isEmpty: Bool { blobs.isEmpty && invalidLine == nil }

    package func contains(_ key: PublicKey) -> Bool { blobs.contains(key.blob) }
}
