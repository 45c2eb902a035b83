// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// The places of the members in a file. The whole structure is checked before a member is used. Every byte has one
/// meaning: hidden bytes, extensions of the format and bytes after the end are refused.
struct BackupStructure: Hashable {
    struct Entry: Hashable {
        let member: BackupMember
        /// Size in bytes.
        let size: Int
        /// Offset of the contents in bytes.
        let offset: Int
    }

    /// Size in bytes of the empty blocks at the end.
    static let endSize = 2 * UstarHeader.blockSize

    let entries: [Entry]

    subscript(member: BackupMember) -> Entry? { entries.first { $0.member == member } }

    /// Reads the structure. Throws a `BackupFlaw` for another file than a complete backup.
    ///
    /// - Parameters:
    ///   - count: size of the file in bytes.
    ///   - range: returns the bytes from an offset on, fewer only at the end of the file.
    init(count: Int, range: (_ offset: Int, _ count: Int) throws -> [UInt8]) throws {
        var entries: [Entry] = []
        var offset = 0
        while true {
            let block = try range(offset, UstarHeader.blockSize)
            guard block.count == UstarHeader.blockSize else { throw BackupFlaw("it ends at byte \(count), too early") }
            if block.allSatisfy({ $0 == 0 }) { break }
            if entries.count == BackupMember.allCases.count { throw BackupFlaw("it has too many members") }
            let entry = try Self.entry(block, at: offset)
            let padding = UstarHeader.padding(after: entry.size)
            guard entry.size <= count - entry.offset - padding else {
                throw BackupFlaw("it ends at byte \(count), within its member \(entry.member.rawValue)")
            }
            guard try range(entry.offset + entry.size, padding).allSatisfy({ $0 == 0 }) else {
                throw BackupFlaw("hidden bytes follow its member \(entry.member.rawValue)")
            }
            entries.append(entry)
            offset = entry.offset + entry.size + padding
        }
        guard count - offset == Self.endSize, try range(offset, Self.endSize).allSatisfy({ $0 == 0 }) else {
            throw BackupFlaw("it has to end with \(Self.endSize) zero bytes from byte \(offset) on, but it does not")
        }
        if let flaw = BackupMember.flaw(of: entries.map(\.member)) { throw flaw }
        self.entries = entries
    }

    private static func entry(_ block: [UInt8], at offset: Int) throws(BackupFlaw) -> Entry {
        let header: UstarHeader
        do throws(UstarFlaw) {
            header = try UstarHeader(block: block, allowsLarge: true)
        } catch {
            throw BackupFlaw("its entry at byte \(offset) \(error.message)")
        }
        guard let member = BackupMember(rawValue: header.name) else {
            throw BackupFlaw("its entry at byte \(offset) is no member of a backup")
        }
        // A changed field that has no meaning, such as the time, is damage as well.
        guard header.block == block else {
            throw BackupFlaw("the header of its member \(member.rawValue) is not as a backup writes it")
        }
        return Entry(member: member, size: header.size, offset: offset + UstarHeader.blockSize)
    }
}
