// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import LinuxSystem

/// An existing backup whose structure, manifest and digests were checked.
package struct BackupFile {
    let path: String
    package let manifest: BackupManifest
    private let file: Descriptor
    private let structure: BackupStructure

    /// Maximum size of the manifest in bytes.
    private static let largestManifest = 64 << 20

    /// Opens a backup and reads all of it. Throws for a file that is not a complete backup of a format that this
    /// program reads, or that was changed.
    package init(at path: String) throws {
        self.path = path
        var status = stat()
        do throws(SystemError) {
            file = try Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
        } catch {
            throw BackupError(
                "\(path) cannot be read: \(error.meaning)",
                remedy: "name a backup that this user may read"
            )
        }
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw BackupError("\(path) is not a regular file", remedy: "name the file of a backup")
        }
        do {
            let file = file
            structure = try BackupStructure(count: Int(status.st_size)) { offset, count in
                try FileBytes.range(of: file.number, from: offset, count: count, for: "read \(path)")
            }
            manifest = try Self.manifest(structure, file, path)
            try Self.check(manifest, structure, file, path)
        } catch let flaw as BackupFlaw {
            throw BackupError(
                "\(path) is not a complete, unchanged backup: \(flaw.message); nothing was written",
                remedy: "use another copy of this backup, or an older backup"
            )
        }
    }

    func has(_ member: BackupMember) -> Bool { structure[member] != nil }

    /// Writes the bytes of a member to an open file.
    func write(_ member: BackupMember, to output: CInt) throws(SystemError) {
        guard let entry = structure[member] else { return }
        try MemberDigest.forEachPart(of: entry.range, in: file, at: path) { bytes throws(SystemError) in
            try FileBytes.write(bytes[...], to: output, for: "write the member \(member.rawValue) of \(path)")
        }
    }

    /// The bytes of a small member; nil when the backup lacks it.
    func bytes(of member: BackupMember) throws(SystemError) -> [UInt8]? {
        guard let entry = structure[member] else { return nil }
        return try FileBytes.range(of: file.number, from: entry.offset, count: entry.size, for: "read \(path)")
    }

    /// Calls `body` with a descriptor whose position is the beginning of a member. Does nothing without the member.
    func read(_ member: BackupMember, _ body: (CInt) throws -> Void) throws {
        guard let entry = structure[member] else { return }
        let input = try Descriptor(opening: path, flags: O_RDONLY)
        if lseek(input.number, off_t(entry.offset), SEEK_SET) < 0 {
            throw SystemError(number: errno, attempt: "read \(path)")
        }
        try body(input.number)
    }

    // MARK: Checks

    private static func manifest(
        _ structure: BackupStructure,
        _ file: Descriptor,
        _ path: String
    ) throws -> BackupManifest {
        guard let entry = structure[.manifest], let line = structure[.manifestDigest], entry.size <= largestManifest
        else { throw BackupFlaw("its manifest has more than \(largestManifest) bytes") }
        let digest = try MemberDigest.of(entry.range, in: file, at: path)
        let expected = Array(BackupMember.digestLine(digest).utf8)
        guard line.size == expected.count,
            try FileBytes.range(of: file.number, from: line.offset, count: line.size, for: "read \(path)") == expected
        else { throw BackupFlaw("the digest of its manifest is not that in \(BackupMember.manifestDigest.rawValue)") }
        let json = Data(
            try FileBytes.range(of: file.number, from: entry.offset, count: entry.size, for: "read \(path)")
        )
        try checkFormat(json, path)
        do {
            return try WireCoding.decode(from: json)
        } catch {
            throw BackupFlaw("its manifest is not valid: \(WireCoding.explanation(of: error))")
        }
    }

    private static func checkFormat(_ json: Data, _ path: String) throws {
        guard let format = try? WireCoding.decode(BackupFormat.self, from: json).format, format > 0 else {
            throw BackupFlaw("its manifest has no valid format")
        }
        if format <= BackupManifest.presentFormat { return }
        throw BackupError(
            "\(path) has the format \(format); this program reads formats up to \(BackupManifest.presentFormat);"
                + " nothing was written",
            remedy: "restore it with the version of bgtask that made it, or a newer one"
        )
    }

    /// Compares the members with the manifest: names, sizes, then digests.
    private static func check(
        _ manifest: BackupManifest,
        _ structure: BackupStructure,
        _ file: Descriptor,
        _ path: String
    ) throws {
        let listed = structure.entries.filter(\.member.isListed)
        guard manifest.members.map(\.name) == listed.map(\.member.rawValue) else {
            throw BackupFlaw("its members are not those of its manifest")
        }
        for (entry, expected) in zip(listed, manifest.members) {
            guard entry.size == expected.size, try MemberDigest.of(entry.range, in: file, at: path) == expected.sha256
            else { throw BackupFlaw("its member \(expected.name) does not have the SHA-256 of the manifest") }
        }
    }
}

extension BackupStructure.Entry {
    /// The offsets of the contents.
    var range: Range<Int> { offset..<offset + size }
}
