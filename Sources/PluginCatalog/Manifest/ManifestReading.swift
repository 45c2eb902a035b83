// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Crypto
package import LocatedYAML
package import TaskModel

/// Result of reading one manifest file: its contents and its problems.
package struct ManifestReading: Hashable, Sendable {
    package let file: String
    /// Nil when the file is refused.
    package let manifest: Manifest?
    /// The library; available in a refused file too, if it could be read.
    package let library: LibraryReference?
    /// The identifier; available in a refused file too, if it could be read.
    package let identifier: PluginIdentifier?
    /// In the order of the file.
    package let problems: [DocumentProblem]
    /// SHA-256 of the file's bytes, lower-case hexadecimal; empty when they could not be read.
    package let digest: String
    /// Identity of the file that was read; nil when it could not be read.
    package let identity: FileIdentity?

    /// Reads a manifest; the file's extension selects the format.
    package static func read(path: String) -> ManifestReading {
        let problems = ProblemCollector(file: path)
        guard let file = SmallFile(path: path, problems: problems) else {
            return ManifestReading(
                file: path,
                manifest: nil,
                library: nil,
                identifier: nil,
                problems: problems.sorted,
                digest: "",
                identity: nil
            )
        }
        return read(bytes: file.bytes, problems: problems, identity: file.identity)
    }

    /// - Parameter file: the name for messages; its extension selects the format.
    package static func read(bytes: [UInt8], file: String) -> ManifestReading {
        read(bytes: bytes, problems: ProblemCollector(file: file), identity: nil)
    }

    private static func read(
        bytes: [UInt8],
        problems: ProblemCollector,
        identity: FileIdentity?
    ) -> ManifestReading {
        let draft =
            problems.file.hasSuffix(".plist")
            ? PropertyListFile(bytes: bytes, problems: problems).map { ManifestDraft(propertyList: $0) }
            : YAMLDocument.decode(bytes: bytes, problems: problems) { ManifestDraft(yaml: $0) }.value
        let outcome = draft.map { ManifestCheck(draft: $0, problems: problems).outcome() }

        // Another format version has other keys, so only the version is reported.
        let format = problems.problems.filter { $0.rule == .format }
        return ManifestReading(
            file: problems.file,
            manifest: outcome?.manifest,
            library: format.isEmpty ? outcome?.library : nil,
            identifier: draft?.identifier.flatMap { PluginIdentifier($0.value) },
            problems: format.isEmpty ? problems.sorted : format,
            digest: SHA256.hash(data: bytes).hexadecimal,
            identity: identity
        )
    }
}

extension SHA256.Digest {
    /// Lower-case, as `sha256sum` prints it.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xf)]] }, as: UTF8.self)
    }
}
