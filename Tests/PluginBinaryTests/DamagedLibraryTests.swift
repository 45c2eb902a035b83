// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginBinary
import TaskModel
import Testing

@Suite("The reader of libraries refuses damaged libraries without a crash")
struct DamagedLibraryTests {
    @Test func `a library cut off at every seventh length is refused`() throws {
        try Workshop.with { workshop in
            let bytes = try workshop.bytes(of: try workshop.compile(Source.plugin))
            let path = try workshop.write(bytes)
            let descriptor = open(path, O_RDWR)
            defer { close(descriptor) }
            for length in stride(from: bytes.count - 1, through: 0, by: -7) {
                try #require(ftruncate(descriptor, off_t(length)) == 0)
                let found = problem(in: path)
                #expect(found == (length < 4 ? .notAnELF : .truncated), "at \(length)")
            }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a library with random changes is accepted or refused without a crash`(seed: UInt64) throws {
        try Workshop.with { workshop in
            let path = try workshop.compile(
                Source.plugin,
                ["-shared", "-fPIC", "-Wl,--hash-style=\(seed == 2 ? "sysv" : "gnu")"]
            )
            let bytes = try workshop.bytes(of: path)
            let descriptor = open(path, O_RDWR)
            defer { close(descriptor) }
            var dice = SeededGenerator(seed: seed)
            var refusals: Set<String> = []
            // Headers, notes and symbol tables are at the front: most changes are made there.
            for round in 0..<4_000 {
                let reach = round % 4 == 0 ? bytes.count : min(bytes.count, 0x400)
                let places = (0..<Int.random(in: 1...4, using: &dice)).map { _ in
                    Int.random(in: 0..<reach, using: &dice)
                }
                for place in places {
                    var byte =
                        [0, 1, 0x7f, 0x80, 0xff, UInt8.random(in: 0...255, using: &dice)].randomElement(using: &dice)
                        ?? 0
                    pwrite(descriptor, &byte, 1, off_t(place))
                }
                do throws(PluginBinaryProblem) {
                    _ = try PluginBinary.examine(descriptor: descriptor, path: path)
                } catch {
                    refusals.insert(error.code)
                }
                for place in places {
                    var byte = bytes[place]
                    pwrite(descriptor, &byte, 1, off_t(place))
                }
            }
            #expect(problem(in: path) == nil)
            #expect(
                refusals.isSuperset(of: ["truncated", "damaged", "foreign-architecture", "no-note"]),
                "\(refusals)"
            )
        }
    }

    @Test func `forged sizes in program headers are refused or ignored without a crash`() throws {
        try Workshop.with { workshop in
            var bytes = try workshop.bytes(of: try workshop.compile(Source.plugin))
            // Each 64-bit word of the program headers becomes the largest number in turn.
            for offset in stride(from: 32, to: 64 + 56 * Int(bytes[56]), by: 8) {
                let saved = Array(bytes[offset..<offset + 8])
                bytes.replaceSubrange(offset..<offset + 8, with: [UInt8](repeating: 0xff, count: 8))
                _ = try problem(in: workshop.write(bytes))
                bytes.replaceSubrange(offset..<offset + 8, with: saved)
            }
            try #expect(workshop.problem(inBytes: bytes) == nil)
        }
    }

    private func write(_ number: UInt64, at offset: Int, to bytes: inout [UInt8]) {
        for byte in 0..<8 { bytes[offset + byte] = UInt8(truncatingIfNeeded: number >> UInt64(byte * 8)) }
    }

    @Test func `a library with a symbol table at the end of the address space is refused as damaged`() throws {
        try Workshop.with { workshop in
            var bytes = try workshop.bytes(of: try workshop.compile(Source.plugin))
            let headers = (0..<Int(bytes[56])).map { 64 + 56 * $0 }
            let load = try #require(headers.first { bytes[$0] == 1 })
            let size = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[load + 32 + $1]) << UInt64($1 * 8) }
            write(0 &- size, at: load + 16, to: &bytes)
            let dynamic = try #require(headers.first { bytes[$0] == 2 })
            let table = Int(bytes[dynamic + 8]) | Int(bytes[dynamic + 9]) << 8
            let entry = try #require(
                stride(from: table, to: table + 512, by: 16).first {
                    bytes[$0...].starts(with: [0xf5, 0xfe, 0xff, 0x6f])
                }
            )
            write(0 &- 16, at: entry + 8, to: &bytes)
            guard case .damaged = try workshop.problem(inBytes: bytes) else {
                Issue.record("accepted, or refused for another reason")
                return
            }
        }
    }

    @Test func `a library whose notes claim more than 1 MiB in total is refused as damaged`() throws {
        try Workshop.with { workshop in
            var bytes = try workshop.bytes(of: try workshop.compile(Source.entry))
            // After all other contents: a thousand note segments over the same MiB of zeros.
            let table = bytes.count
            let headers = Array(bytes[64..<64 + 56 * Int(bytes[56])])
            var note = [UInt8](repeating: 0, count: 56)
            note[0] = 4
            write(UInt64(table), at: 8, to: &note)
            write(1 << 20, at: 32, to: &note)
            bytes += headers + (0..<1000).flatMap { _ in note } + [UInt8](repeating: 0, count: 1 << 20)
            write(UInt64(table), at: 32, to: &bytes)
            let count = headers.count / 56 + 1000
            (bytes[56], bytes[57]) = (UInt8(count & 0xff), UInt8(count >> 8))
            try #expect(workshop.problem(inBytes: bytes) == .damaged("its notes have more than 1048576 bytes"))
        }
    }

    @Test func `a library file of 1 TiB with a string table of 256 GiB is refused as damaged`() throws {
        try Workshop.with { workshop in
            let path = try workshop.compile(Source.plugin)
            let image = try workshop.bytes(of: path)
            let descriptor = open(path, O_RDWR)
            defer { close(descriptor) }
            // A hole of 1 TiB at the end, and a dynamic string table of a quarter of that size.
            try #require(ftruncate(descriptor, 1 << 40) == 0)
            let headers = (0..<Int(image[56])).map { 64 + 56 * $0 }
            for header in headers where image[header] == 1 {
                var size: UInt64 = 1 << 39
                pwrite(descriptor, &size, 8, off_t(header + 32))
            }
            let dynamic = try #require(headers.first { image[$0] == 2 })
            let table = Int(image[dynamic + 8]) | Int(image[dynamic + 9]) << 8
            let entry = try #require(stride(from: table, to: table + 512, by: 16).first { image[$0] == 10 })
            var size: UInt64 = 1 << 38
            pwrite(descriptor, &size, 8, off_t(entry + 8))
            #expect(problem(in: path) == .damaged("a table has the implausible size of \(size) bytes"))
        }
    }
}
