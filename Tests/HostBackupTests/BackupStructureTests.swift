// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import Testing

@testable import HostBackup

@Suite("Only a file with the exact structure of a backup is accepted")
struct BackupStructureTests {
    private static let end = [UInt8](repeating: 0, count: BackupStructure.endSize)

    private static func entry(_ member: String, _ text: String = "text") throws -> [UInt8] {
        let header = try #require(UstarHeader(name: member, size: text.utf8.count))
        return header.block + Array(text.utf8)
            + [UInt8](repeating: 0, count: UstarHeader.padding(after: text.utf8.count))
    }

    private static func file(_ members: [BackupMember]) throws -> [UInt8] {
        try members.flatMap { try entry($0.rawValue) } + end
    }

    private static func structure(_ bytes: [UInt8]) throws -> BackupStructure {
        try BackupStructure(count: bytes.count) { offset, count in Array(bytes.dropFirst(offset).prefix(count)) }
    }

    private static func flaw(of bytes: [UInt8]) -> String? {
        do {
            _ = try structure(bytes)
            return nil
        } catch {
            return (error as? BackupFlaw)?.message ?? "another error: \(error)"
        }
    }

    @Test func `the members of a complete backup are found with size and offset`() throws {
        let structure = try Self.structure(Self.file([.ledger, .revoked, .manifest, .manifestDigest]))
        #expect(structure.entries.map(\.member) == [.ledger, .revoked, .manifest, .manifestDigest])
        #expect(structure.entries.map(\.offset) == [512, 1_536, 2_560, 3_584])
        #expect(structure[.manifest]?.size == 4 && structure[.containers] == nil)
    }

    @Test(arguments: [
        ([BackupMember.ledger, .manifest], "lacks the member manifest.json.sha256"),
        ([.manifest, .manifestDigest], "lacks the member ledger.sqlite"),
        ([.ledger, .manifestDigest], "lacks the member manifest.json"),
        ([.ledger, .ledger, .manifest, .manifestDigest], "repeated or not in their order"),
        ([.manifest, .ledger, .manifestDigest], "repeated or not in their order"),
        ([], "lacks the member ledger.sqlite"),
    ])
    func `a backup without a required member, or with members in another order, is refused`(
        members: [BackupMember],
        words: String
    ) throws {
        #expect(Self.flaw(of: try Self.file(members))?.contains(words) == true)
    }

    @Test func `a member of another name is refused`() throws {
        let other = try Self.entry("../etc/passwd")
        #expect(Self.flaw(of: other + Self.end)?.contains("is no member of a backup") == true)
    }

    @Test func `a backup that is cut at any byte is refused`() throws {
        let good = try Self.file([.ledger, .manifest, .manifestDigest])
        #expect(Self.flaw(of: good) == nil)
        #expect((0..<good.count).allSatisfy { Self.flaw(of: Array(good.prefix($0))) != nil })
        #expect(Self.flaw(of: good + [0]) != nil)
    }

    @Test func `a flipped bit outside of the contents of members is refused`() throws {
        let good = try Self.file([.ledger, .manifest, .manifestDigest])
        let contents = try Self.structure(good).entries.map(\.range)
        for place in good.indices where !contents.contains(where: { $0.contains(place) }) {
            for bit in 0..<8 {
                var changed = good
                changed[place] ^= 1 << UInt8(bit)
                #expect(Self.flaw(of: changed) != nil, "bit \(bit) of byte \(place)")
            }
        }
    }
}
