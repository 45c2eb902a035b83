// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import LinuxSystem
import Testing

@testable import PluginInstaller

@Suite("A damaged or hostile pack is refused before a file is written")
struct HostilePackTests {
    private static let manifest = "feed.yaml"
    private static let end = [UInt8](repeating: 0, count: 1024)

    /// The entry of one file, with a header that may be changed before its checksum is computed again.
    private static func entry(
        _ name: String,
        _ contents: [UInt8] = Array("text".utf8),
        changing change: (inout [UInt8]) -> Void = { _ in }
    ) throws -> [UInt8] {
        // A name of the same length that every header accepts, replaced below by the given one.
        let plain = String(repeating: "n", count: min(100, max(1, name.utf8.count)))
        var block = try #require(UstarHeader(name: plain, size: contents.count)).block
        for (index, byte) in name.utf8.prefix(100).enumerated() { block[index] = byte }
        if name.isEmpty { block[0] = 0 }
        change(&block)
        return summed(block) + contents + [UInt8](repeating: 0, count: UstarHeader.padding(after: contents.count))
    }

    /// The header with the checksum of its bytes.
    private static func summed(_ header: [UInt8]) -> [UInt8] {
        var block = header
        for index in 148..<156 { block[index] = 0x20 }
        let sum = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
        let digits = Array((String(repeating: "0", count: max(0, 6 - sum.utf8.count)) + sum).utf8)
        block.replaceSubrange(148..<156, with: digits + [0, 0x20])
        return block
    }

    private static func put(_ text: String, at place: Int) -> (inout [UInt8]) -> Void {
        { block in for (index, byte) in text.utf8.enumerated() { block[place + index] = byte } }
    }

    private func flaw(of bytes: [UInt8]) -> String? {
        do {
            _ = try PluginPack.entries(in: PluginPack.Bytes(bytes))
            return nil
        } catch {
            return (error as? PackFlaw)?.message ?? "\(error)"
        }
    }

    @Test func `a pack of several files is read with name, size and place of each`() throws {
        let long = String(repeating: "d", count: 90) + "/" + String(repeating: "f", count: 100)
        let header = try #require(UstarHeader(name: long, size: 0))
        let bytes = try Self.entry(Self.manifest) + Self.entry("a/b.so", Array(repeating: 1, count: 513)) + header.block
        let entries = try PluginPack.entries(in: PluginPack.Bytes(bytes + Self.end))
        #expect(entries.map(\.name) == [Self.manifest, "a/b.so", long])
        #expect(entries.map(\.size) == [4, 513, 0] && entries.map(\.offset) == [512, 1536, 3072])
        #expect(try UstarHeader(block: header.block) == header)
        #expect(UstarHeader(name: String(repeating: "n", count: 101), size: 0) == nil)
        #expect(UstarHeader(name: "a", size: UstarHeader.largestSize + 1) == nil)
        let large = try #require(UstarHeader(name: "a", size: UstarHeader.largestSize + 1, upTo: .max))
        #expect(try UstarHeader(block: large.block, allowsLarge: true) == large)
        #expect(throws: UstarFlaw.self) { try UstarHeader(block: large.block) }
    }

    @Test(arguments: [
        ("../feed", "has a \"..\" part"), ("/etc/passwd", "is an absolute path"), ("a//b", "has an empty part"),
        ("a/./b", "has a \".\" part"), ("a/", "has an empty part"), ("", "is empty"), (".", "has a \".\" part"),
        ("a\nb", "has a control character"), ("a\u{202e}b", "has a control character"),
    ])
    func `a name in a pack that is absolute, empty, not normalized or has a control character is refused`(
        name: String,
        words: String
    ) throws {
        let found = flaw(of: try Self.entry(Self.manifest) + Self.entry(name) + Self.end)
        #expect(found?.hasPrefix("entry 2 at byte 1024 has the name ") == true && found?.hasSuffix(words) == true)
    }

    @Test(arguments: [
        ("1", "a hard link"), ("2", "a symbolic link"), ("3", "a device"), ("4", "a device"), ("5", "a directory"),
        ("6", "a named pipe"), ("x", "pax extensions"), ("g", "pax extensions"), ("L", "a long name"),
        ("K", "a long name"), ("7", "type 55"), ("\0", "type 0"), ("S", "type 83"),
    ])
    func `an entry of a pack that is not a regular file is refused with its kind`(type: String, words: String) throws {
        let entry = try Self.entry("a", changing: Self.put(type, at: 156))
        #expect(flaw(of: try Self.entry(Self.manifest) + entry + Self.end)?.contains(words) == true)
    }

    @Test(arguments: ["8", "-1", "", "\u{7f}", "0x10", "1 1", " 4"])
    func `a size in a pack that is not an octal number is refused`(size: String) throws {
        let entry = try Self.entry("a") { block in
            for index in 124..<136 { block[index] = 0 }
            Self.put(size, at: 124)(&block)
        }
        #expect(flaw(of: try Self.entry(Self.manifest) + entry + Self.end)?.contains("not an octal number") == true)
    }

    @Test(arguments: ["00000003001", "77777777777", "777777777777"])
    func `a size in a pack that reaches beyond the end of the pack is refused`(size: String) throws {
        let entry = try Self.entry("a", changing: Self.put(size, at: 124))
        #expect(flaw(of: try Self.entry(Self.manifest) + entry + Self.end)?.contains("ends before them") == true)
    }

    @Test func `a header in a pack with a GNU extension, a link target, hidden bytes or a wrong checksum is refused`()
        throws
    {
        let binary = try Self.entry("a") { block in block[124] = 0x80 }
        #expect(flaw(of: try Self.entry(Self.manifest) + binary + Self.end)?.contains("octal") == true)
        let gnu = try Self.entry("a", changing: Self.put("ustar  \0", at: 257))
        #expect(flaw(of: try Self.entry(Self.manifest) + gnu + Self.end)?.contains("no header in the format") == true)
        let link = try Self.entry("a", changing: Self.put("/etc/shadow", at: 157))
        #expect(flaw(of: try Self.entry(Self.manifest) + link + Self.end)?.contains("target of a link") == true)
        let hidden = try Self.entry("a", changing: Self.put("b", at: 50))
        #expect(flaw(of: try Self.entry(Self.manifest) + hidden + Self.end)?.contains("padded with NUL") == true)
        let latin = try Self.entry("a") { block in block[0] = 0xe4 }
        #expect(flaw(of: try Self.entry(Self.manifest) + latin + Self.end)?.contains("UTF-8") == true)
        var wrong = try Self.entry("a")
        wrong[0] = UInt8(ascii: "b")
        #expect(flaw(of: try Self.entry(Self.manifest) + wrong + Self.end)?.contains("wrong checksum") == true)
    }

    @Test func `a second file of one name, and a name that is a file and a directory, are refused in a pack`() throws {
        let first = try Self.entry(Self.manifest)
        for (one, two) in [("a", "a"), ("a", "a/b"), ("a/b", "a"), ("a/b/c", "a/b")] {
            let found = flaw(of: try first + Self.entry(one) + Self.entry(two) + Self.end)
            #expect(found?.hasPrefix("entry 3 ") == true, "\(one) \(two)")
        }
        #expect(flaw(of: first + first + Self.end)?.contains("already has") == true)
    }

    @Test func `a pack without a manifest as its first entry, without an end or with data behind the end is refused`()
        throws
    {
        let first = try Self.entry(Self.manifest)
        #expect(flaw(of: try Self.entry("a.so") + Self.end)?.contains("entry has to be the manifest") == true)
        #expect(flaw(of: try Self.entry("a/b.yaml") + Self.end)?.contains("entry has to be the manifest") == true)
        #expect(flaw(of: Self.end) == "it is empty")
        let half = [UInt8](repeating: 0, count: 512)
        let unended: [[UInt8]] = [[], first, first + half, first + Self.end + [0], first + Self.end + first]
        for bytes in unended {
            #expect(flaw(of: bytes)?.contains("end") == true)
        }
        #expect(flaw(of: first + Self.end + [UInt8](repeating: 0, count: 1 << 16))?.contains("end") == true)
        #expect(flaw(of: first + Self.end + [UInt8](repeating: 0, count: 9216)) == nil)
        var padded = first
        padded[600] = 1
        #expect(flaw(of: padded + Self.end)?.contains("hidden bytes") == true)
    }

    @Test func `a pack of too many files, or of too many bytes, is refused`() throws {
        var bytes = try Self.entry(Self.manifest)
        for number in 0..<PluginPack.mostEntries { bytes += try Self.entry("f\(number)", []) }
        #expect(flaw(of: bytes + Self.end)?.contains("is one too many") == true)
        let huge = PluginPack.Bytes(count: PluginPack.largest + 1) { _, _ in [] }
        #expect(throws: PackFlaw.self) { try PluginPack.entries(in: huge) }
    }

    @Test func `a pack that is cut off at any byte is refused`() throws {
        let good = try Self.entry(Self.manifest) + Self.entry("a.so") + Self.end
        #expect(flaw(of: good) == nil)
        #expect((0..<good.count).allSatisfy { flaw(of: Array(good.prefix($0))) != nil })
    }

    @Test func `10,000 mutations of a pack are refused, or have safe names and places within the pack`() throws {
        let good =
            try Self.entry(Self.manifest, Array(repeating: 0x61, count: 700))
            + Self.entry("x86_64/libFeed.so", Array(repeating: 0x62, count: 1500))
            + Self.entry("colors.dat", Array(repeating: 0x63, count: 512)) + Self.end
        var random = SeededGenerator(seed: 16)
        var accepted = 0
        for _ in 0..<10_000 {
            let bytes = random.mutation(of: good)
            guard let entries = try? PluginPack.entries(in: PluginPack.Bytes(bytes)) else { continue }
            accepted += 1
            let isSafe = entries.allSatisfy { entry in
                PackName.flaw(of: entry.name) == nil && entry.size >= 0 && entry.offset + entry.size <= bytes.count
            }
            #expect(isSafe && Set(entries.map(\.name)).count == entries.count)
        }
        // Mutations of contents keep the structure; the digests of the manifest cover contents.
        #expect(accepted > 0 && accepted < 5000, "\(accepted)")
    }

    @Test func `an invalid pack leaves no unpacked directory, and a valid one only while it is in use`() async throws {
        try await ScratchDirectory.with { directory in
            let text = "manifest: 1\nidentifier: com.example.feed\nlibrary: lib/libFeed.so\n"
            let manifest = try Self.entry(Self.manifest, Array(text.utf8))
            let library = try Self.entry("lib/libFeed.so")
            let good = try directory.write(manifest + library + Self.end, to: "good")
            do {
                let unpacked = try UnpackedPlugin(PluginPack(at: good), in: directory.path)
                let files = try FileManager.default.subpathsOfDirectory(atPath: unpacked.directory)
                #expect(Set(files) == [Self.manifest, "lib", "lib/libFeed.so"])
                #expect(unpacked.shown("\(unpacked.manifest):1") == "\(good):feed.yaml:1")
            }
            let stranger = try Self.entry("stranger")
            let packs: [([UInt8], String)] = [
                (manifest + Self.end, "lacks the file \"lib/libFeed.so\""),
                (manifest + library + stranger + Self.end, "which the manifest does not name"),
                (manifest, "is not a valid pack: it ends"),
            ]
            for (bytes, words) in packs {
                let path = try directory.write(bytes, to: "bad")
                let error = #expect(throws: InstallationError.self) {
                    try UnpackedPlugin(PluginPack(at: path), in: directory.path)
                }
                #expect(error?.message.contains(words) == true && error?.remedy != nil, "\(String(describing: error))")
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(Set(left) == ["good", "bad"])
        }
    }
}

/// A generator of a fixed sequence: SplitMix64.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// The bytes with one to three changes: a bit is flipped, a byte replaced, the end cut off, a range repeated or
    /// removed, or two bytes are swapped.
    mutating func mutation(of bytes: [UInt8]) -> [UInt8] {
        var changed = bytes
        for _ in 0...Int.random(in: 0..<3, using: &self) where !changed.isEmpty {
            let place = Int.random(in: changed.indices, using: &self)
            let other = Int.random(in: changed.indices, using: &self)
            switch Int.random(in: 0..<6, using: &self) {
            case 0: changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: changed[place] = UInt8.random(in: .min ... .max, using: &self)
            case 2: changed.removeLast(changed.count - place)
            case 3: changed.insert(contentsOf: changed[min(place, other)..<max(place, other)], at: place)
            case 4: changed.swapAt(place, other)
            default: changed.removeSubrange(min(place, other)..<max(place, other))
            }
        }
        return changed
    }
}
