// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LocatedYAML
import PluginCatalogue
import TaskModel

/// The installed bytes of a manifest: the original bytes with the installed name of the library, and a pinned digest if
/// requested. All other bytes are unchanged, except those of a binary property list, which is written anew.
struct ManifestBytes {
    private let reading: ManifestReading
    private let original: [UInt8]

    init(of reading: ManifestReading) throws {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: reading.file)),
            ManifestReading.read(bytes: Array(data), file: reading.file).digest == reading.digest
        else {
            throw InstallationError(
                "\(reading.file) changed while it was read; nothing was written",
                remedy: "install the plugin again"
            )
        }
        self.reading = reading
        original = Array(data)
    }

    /// The changed bytes. Throws when the format of the manifest does not allow the change.
    ///
    /// - Parameters:
    ///   - mark: the mark for the library's name; nil keeps the name.
    ///   - digest: the digest to pin, unless the manifest pins one.
    func marked(_ mark: DigestMark?, pinning digest: String?) throws -> [UInt8] {
        let named = try mark.map(naming) ?? original
        guard let digest, reading.library?.pinnedDigest == nil else { return named }
        if isPropertyList {
            throw InstallationError(
                "\(reading.file) is a property list, a format without a key for the digest of the library; nothing"
                    + " was written",
                remedy: "leave --pin out, or write the manifest as YAML"
            )
        }
        let pin = reading.library?.architecture.map { "{ \($0): \(digest) }" } ?? digest
        let isOnLineOfItsOwn = named.last == UInt8(ascii: "\n")
        let bytes = named + Array("\(isOnLineOfItsOwn ? "" : "\n")sha256: \(pin)\n".utf8)
        let pinned = ManifestReading.read(bytes: bytes, file: reading.file)
        guard pinned.manifest != nil, pinned.library?.pinnedDigest?.value == digest else {
            throw InstallationError(
                "--pin cannot append the library's digest to \(reading.file): with the key sha256 at its end, the file"
                    + " would not be a valid manifest; nothing was written",
                remedy: "write the key yourself, at another place of the manifest: sha256: \(pin)"
            )
        }
        return bytes
    }

    private var isPropertyList: Bool { reading.file.hasSuffix(".plist") }

    private func naming(_ mark: DigestMark) throws -> [UInt8] {
        let name = reading.library?.path.value ?? ""
        for bytes in candidates(mark) where means(bytes, besidesLibrary: mark.applied(to: name)) { return bytes }
        throw InstallationError(
            "the library's name in \(reading.file) cannot be replaced by \(mark.applied(to: name)),"
                + " the name of the installed library; nothing was written",
            remedy: "write the name as plain text on the line of its key: "
                + (isPropertyList ? "<key>CFBundleExecutable</key><string>\(name)</string>" : "library: \(name)")
        )
    }

    /// Variants of the original text with the name replaced, one for each place that may be the library's key.
    private func candidates(_ mark: DigestMark) -> [[UInt8]] {
        if original.starts(with: "bplist".utf8) { return [binaryList(mark)].compactMap(\.self) }
        let text = String(decoding: original, as: UTF8.self)
        if isPropertyList {
            let pattern = /<key>\s*CFBundleExecutable\s*<\/key>\s*<string>(?<name>[^<]*)<\/string>/
            return text.matches(of: pattern).map { match in
                Array(text.replacingCharacters(in: match.name, with: mark).utf8)
            }
        }
        guard let field = reading.library?.path, let place = field.position?.index(in: text) else { return [] }
        let start = text[place...].first.map { "'\"".contains($0) } == true ? text.index(after: place) : place
        guard text[start...].hasPrefix(field.value) else { return [] }
        let end = text.index(start, offsetBy: field.value.count)
        return [Array(text.replacingCharacters(in: text[start..<end], with: mark).utf8)]
    }

    private func binaryList(_ mark: DigestMark) -> [UInt8]? {
        let key = "CFBundleExecutable"
        guard
            var root = try? PropertyListSerialization.propertyList(from: Data(original), format: nil) as? [String: Any],
            let name = root[key] as? String
        else { return nil }
        root[key] = mark.applied(to: name)
        return (try? PropertyListSerialization.data(fromPropertyList: root, format: .binary, options: 0)).map(
            Array.init
        )
    }

    /// Whether the bytes have the same meaning as the original, apart from the library's name.
    private func means(_ bytes: [UInt8], besidesLibrary name: String) -> Bool {
        let changed = ManifestReading.read(bytes: bytes, file: reading.file)
        guard let old = reading.manifest, let new = changed.manifest else { return false }
        return new.library.others.map(\.path.value) == old.library.others.map(\.path.value)
            && new.requires == old.requires && new.library.path.value == name
            && new.library.pinnedDigest?.value == old.library.pinnedDigest?.value
            && new.identifier.value == old.identifier.value && new.name == old.name && new.version == old.version
            && new.role == old.role && new.containing?.main == old.containing?.main
            && RequestedGrants(new) == RequestedGrants(old) && changed.problems.count == reading.problems.count
    }
}

extension String {
    fileprivate func replacingCharacters(in name: Substring, with mark: DigestMark) -> String {
        var text = self
        text.replaceSubrange(name.startIndex..<name.endIndex, with: mark.applied(to: String(name)))
        return text
    }
}

extension Manifest.ContainingPlugin {
    fileprivate var main: String? {
        guard case .named(let main) = self else { return nil }
        return main.value.text
    }
}
