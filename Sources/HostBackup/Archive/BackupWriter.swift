// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Glibc
import LinuxSystem

/// Writes the file of a backup beside its final path, and renames it when it is complete and on disk. An unfinished
/// file is deleted with the writer.
final class BackupWriter {
    private let path: String
    private let temporary: String
    private let output: Descriptor
    private var offset = 0
    private var isFinished = false
    /// The members written so far.
    private(set) var members: [BackupManifest.Member] = []

    /// Creates the unfinished file with access for its owner only.
    init(path: String) throws(BackupError) {
        self.path = path
        temporary = Self.temporary(for: path, "new")
        unlink(temporary)
        let number = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if number < 0 { throw Self.failure(path, errno) }
        output = Descriptor(owning: number)
    }

    deinit { if !isFinished { unlink(temporary) } }

    /// The path of a temporary file of this process beside `path`.
    static func temporary(for path: String, _ purpose: String) -> String {
        "\(FilePlace.directory(of: path))/.\(FilePlace.name(of: path)).\(purpose)-\(getpid())"
    }

    func add(_ member: BackupMember, _ bytes: [UInt8]) throws {
        try add(member) { try put(bytes, to: $0) }
    }

    /// Adds the bytes of a file.
    func add(_ member: BackupMember, file: String) throws {
        let input = try Descriptor(opening: file, flags: O_RDONLY)
        let size = Int(lseek(input.number, 0, SEEK_END))
        try add(member) { output in
            try MemberDigest.forEachPart(of: 0..<size, in: input, at: file) { bytes throws(SystemError) in
                try FileBytes.write(bytes[...], to: output, for: "write \(path)")
            }
        }
    }

    /// Adds the bytes that `write` writes at the position of the descriptor.
    func add(_ member: BackupMember, _ write: (CInt) throws -> Void) throws {
        let start = offset + UstarHeader.blockSize
        try seek(to: start)
        try write(output.number)
        let size = Int(lseek(output.number, 0, SEEK_CUR)) - start
        try put([UInt8](repeating: 0, count: UstarHeader.padding(after: size)), to: output.number)
        guard let header = UstarHeader(name: member.rawValue, size: size, upTo: .max) else {
            throw BackupError("\(path) cannot be written: the member \(member.rawValue) has \(size) bytes")
        }
        try seek(to: offset)
        try put(header.block, to: output.number)
        let digest = try MemberDigest.of(start..<start + size, in: output, at: path)
        members.append(BackupManifest.Member(name: member.rawValue, size: size, sha256: digest))
        offset = start + size + UstarHeader.padding(after: size)
    }

    /// Adds the manifest and the end, and gives the complete file its path. Returns its size in bytes.
    func finish(_ manifest: BackupManifest) throws -> Int {
        try add(.manifest, Array(WireCoding.encodeReadably(manifest)) + [0x0a])
        try add(.manifestDigest, Array(BackupMember.digestLine(members.last?.sha256 ?? "").utf8))
        try seek(to: offset)
        try put([UInt8](repeating: 0, count: BackupStructure.endSize), to: output.number)
        let directory = try Descriptor(opening: FilePlace.directory(of: path), flags: O_RDONLY | O_DIRECTORY)
        guard fsync(output.number) == 0, rename(temporary, path) == 0 else { throw Self.failure(path, errno) }
        isFinished = true
        if fsync(directory.number) != 0 { throw Self.failure(path, errno) }
        return offset + BackupStructure.endSize
    }

    private func seek(to offset: Int) throws(BackupError) {
        if lseek(output.number, off_t(offset), SEEK_SET) < 0 { throw Self.failure(path, errno) }
    }

    private func put(_ bytes: [UInt8], to output: CInt) throws(BackupError) {
        do throws(SystemError) {
            try FileBytes.write(bytes[...], to: output, for: "write \(path)")
        } catch {
            throw Self.failure(path, error.number)
        }
    }

    private static func failure(_ path: String, _ error: Int32) -> BackupError {
        BackupError(
            "\(path) cannot be written: \(String(systemError: error))",
            remedy: "name a file in a directory that this user may write to, on a disk with enough free space"
        )
    }
}
