// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Crypto
package import LocatedYAML
package import Signatures
package import TaskModel

/// Result of reading one manifest file: its contents and its problems.
package struct ManifestReading: Hashable, Sendable {
    package let file: String
    /// The manifest; nil when the file is refused.
    package let manifest: Manifest?
    /// The library that the file names. Available for a refused file, too. Nil when it could not be read, and when the
    /// host does not have the format version or a required feature.
    package let library: LibraryReference?
    /// The identifier in the file; nil when it could not be read. Available for a refused file, too.
    package let identifier: PluginIdentifier?
    /// The problems, in the order of the file.
    package let problems: [DocumentProblem]
    /// SHA-256 digest of the file's bytes in lower-case hexadecimal; empty when the file could not be read.
    package let digest: String
    /// The digests to which a signature of the file refers; nil when the file could not be read.
    package let messageDigests: MessageDigests?
    /// Identity of the file; nil when the file could not be read, and for a manifest that was read from bytes.
    package let identity: FileIdentity?

    /// Reads the manifest at a path. The file's extension selects the format.
    package static func read(path: String, for host: ManifestHost = .current) -> ManifestReading {
        let problems = ProblemCollector(file: path)
        guard let file = SmallFile(path: path, problems: problems) else {
            return ManifestReading(
                file: path,
                manifest: nil,
                library: nil,
                identifier: nil,
                problems: problems.sorted,
                digest: "",
                messageDigests: nil,
                identity: nil
            )
        }
        return read(bytes: file.bytes, problems: problems, identity: file.identity, for: host)
    }

    /// Reads a manifest from its bytes.
    ///
    /// - Parameters:
    ///   - file: the name for messages; its extension selects the format.
    ///   - host: the host whose verdict the result has.
    package static func read(bytes: [UInt8], file: String, for host: ManifestHost = .current) -> ManifestReading {
        read(bytes: bytes, problems: ProblemCollector(file: file), identity: nil, for: host)
    }

    private static func read(
        bytes: [UInt8],
        problems: ProblemCollector,
        identity: FileIdentity?,
        for host: ManifestHost
    ) -> ManifestReading {
        let draft =
            problems.file.hasSuffix(".plist")
            ? PropertyListFile(bytes: bytes, problems: problems).map { ManifestDraft(propertyList: $0) }
            : YAMLDocument.decode(bytes: bytes, problems: problems) { ManifestDraft(yaml: $0) }.value
        let outcome = draft.map { ManifestCheck(draft: $0, host: host, problems: problems).outcome() }

        let decisive = decisive(among: problems.sorted)
        return ManifestReading(
            file: problems.file,
            manifest: outcome?.manifest,
            library: decisive.isEmpty ? outcome?.library : nil,
            identifier: draft?.identifier.flatMap { PluginIdentifier($0.value) },
            problems: decisive.isEmpty ? problems.sorted : decisive,
            digest: SHA256.hash(data: bytes).hexadecimal,
            messageDigests: MessageDigests(of: bytes),
            identity: identity
        )
    }

    /// The problems that are reported alone: the format version, otherwise the missing features. A manifest with such a
    /// problem may have keys and values that this host does not know. Empty when all problems are reported.
    private static func decisive(among problems: [DocumentProblem]) -> [DocumentProblem] {
        let byRule = [DocumentProblem.Rule.format, .requires].map { rule in problems.filter { $0.rule == rule } }
        return byRule.first { !$0.isEmpty } ?? []
    }
}

extension SHA256.Digest {
    /// The bytes in lower-case hexadecimal, as `sha256sum` prints them.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xf)]] }, as: UTF8.self)
    }
}
