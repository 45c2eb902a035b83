// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import PluginCatalogue
import TaskModel

/// A pack: one file with the manifest of a plugin, its signature, its libraries and its files, which `tar` can list.
/// The manifest is the first entry.
///
/// The structure of the whole file is checked before a byte of contents is used, and each rule has one reading: bytes
/// behind the end, bytes between the contents and extensions of the format are refused instead of skipped.
package struct PluginPack {
    struct Entry: Hashable {
        let name: String
        let size: Int
        /// Offset of the contents in bytes.
        let offset: Int
    }

    /// The bytes of a file: `range` returns the bytes from an offset on, fewer only at the end of the file.
    struct Bytes {
        let count: Int
        let range: (_ offset: Int, _ count: Int) throws -> [UInt8]

        init(count: Int, range: @escaping (_ offset: Int, _ count: Int) throws -> [UInt8]) {
            (self.count, self.range) = (count, range)
        }

        init(_ bytes: [UInt8]) {
            self.init(count: bytes.count) { offset, count in
                Array(bytes.dropFirst(offset).prefix(count))
            }
        }
    }

    /// The suffix of the file name. A pack is recognized by its contents, not by its name.
    package static let suffix = ".bgplugin"
    /// Maximum number of entries of a pack: twice the maximum number of pinned files of one library, because a pack may
    /// have libraries for several architectures, and 100 more.
    static let mostEntries = 2100
    /// Maximum size of the file in bytes.
    static let largest = 4 << 30
    /// Maximum size in bytes of the empty blocks at the end of a pack: tar fills its last record, of at most 64 KiB,
    /// with them.
    private static let longestEnd = 1 << 16

    let path: String
    let bytes: Bytes
    let entries: [Entry]

    /// Whether a file begins like a pack; false when it cannot be read.
    package static func isPack(at path: String) -> Bool {
        guard let file = try? Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY),
            let block = try? FileBytes.range(of: file.number, count: UstarHeader.blockSize, for: "read \(path)")
        else { return false }
        return UstarHeader.hasMagic(block)
    }

    /// Opens a pack and checks its structure. Throws for an unreadable file and for one that is not a pack.
    package init(at path: String) throws {
        var status = stat()
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
        } catch {
            let remedy = "name a pack that this user may read"
            throw InstallationError("\(path) cannot be read: \(error.meaning)", remedy: remedy)
        }
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw InstallationError("\(path) is not a regular file", remedy: "name the file of a pack")
        }
        self.path = path
        bytes = Bytes(count: Int(status.st_size)) { offset, count in
            try FileBytes.range(of: file.number, from: offset, count: count, for: "read \(path)")
        }
        do {
            entries = try Self.entries(in: bytes)
        } catch let flaw as PackFlaw {
            throw Self.error(path, flaw)
        }
    }

    static func error(_ path: String, _ flaw: PackFlaw) -> InstallationError {
        InstallationError(
            "\(path) is not a valid pack: \(flaw.message); nothing was written",
            remedy: "copy the file again from its vendor, who makes packs with: bgtask plugin pack"
        )
    }

    // MARK: Structure

    /// The entries, in the order of the file. Throws a `PackFlaw` for a file that is not a pack.
    static func entries(in bytes: Bytes) throws -> [Entry] {
        if bytes.count > largest {
            throw PackFlaw("it has \(bytes.count) bytes; at most \(largest) are allowed")
        }
        var structure = Structure()
        var offset = 0
        while true {
            let block = try bytes.range(offset, UstarHeader.blockSize)
            guard block.count == UstarHeader.blockSize else {
                throw PackFlaw("it ends at byte \(bytes.count), without the two empty blocks of the end")
            }
            if block.allSatisfy({ $0 == 0 }) { break }
            do throws(PackFlaw) {
                let header = try Self.header(block)
                let start = offset + UstarHeader.blockSize
                let padding = UstarHeader.padding(after: header.size)
                guard header.size <= bytes.count - start - padding else {
                    throw PackFlaw("has \(header.size) bytes, but the pack ends before them")
                }
                try structure.add(Entry(name: header.name, size: header.size, offset: start))
                offset = start + header.size + padding
            } catch {
                throw PackFlaw("entry \(structure.entries.count + 1) at byte \(offset) \(error.message)")
            }
            let padding = UstarHeader.padding(after: structure.entries.last?.size ?? 0)
            guard try bytes.range(offset - padding, padding).allSatisfy({ $0 == 0 }) else {
                throw PackFlaw("entry \(structure.entries.count) is followed by hidden bytes")
            }
        }
        let end = bytes.count - offset
        guard end >= 2 * UstarHeader.blockSize, end <= longestEnd, end % UstarHeader.blockSize == 0,
            try bytes.range(offset, end).allSatisfy({ $0 == 0 })
        else {
            throw PackFlaw(
                "it has to end after its last entry, at byte \(offset), with 2 to \(longestEnd / UstarHeader.blockSize)"
                    + " blocks of \(UstarHeader.blockSize) zero bytes, but it does not"
            )
        }
        if structure.entries.isEmpty { throw PackFlaw("it is empty") }
        return structure.entries
    }

    private static func header(_ block: [UInt8]) throws(PackFlaw) -> UstarHeader {
        let header: UstarHeader
        do throws(UstarFlaw) {
            header = try UstarHeader(block: block)
        } catch {
            throw PackFlaw(error.message)
        }
        if let flaw = PackName.flaw(of: header.name) {
            throw PackFlaw("has the name \(header.name.inQuotes), which \(flaw)")
        }
        return header
    }

    /// The entries of the pack that were read so far, with the rules about an entry and the entries before it.
    private struct Structure {
        var entries: [Entry] = []
        private var names: Set<String> = []
        private var directories: Set<String> = []

        mutating func add(_ entry: Entry) throws(PackFlaw) {
            let name = entry.name.inQuotes
            if entries.isEmpty, entry.name.contains("/") || !ManifestDirectory.isManifest(entry.name) {
                throw PackFlaw(
                    "is \(name), but the first entry has to be the manifest, NAME.yaml, NAME.yml or NAME.plist"
                )
            }
            if entries.count >= PluginPack.mostEntries {
                throw PackFlaw("is one too many: a pack has at most \(PluginPack.mostEntries) entries")
            }
            if !names.insert(entry.name).inserted { throw PackFlaw("is \(name), which the pack already has") }
            let above = PackName.directories(above: entry.name)
            if directories.contains(entry.name) || !names.isDisjoint(with: above) {
                throw PackFlaw("is \(name), which is both a file and a directory")
            }
            directories.formUnion(above)
            entries.append(entry)
        }
    }
}
