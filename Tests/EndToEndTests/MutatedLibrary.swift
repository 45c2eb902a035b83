// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import TaskModel

/// Changed copies of a library, the same ones in every run: up to three bits are flipped in the contents that the loader
/// maps, outside of headers and note, or the end of the file is cut off.
struct MutatedLibrary {
    private let bytes: [UInt8]
    /// The file ranges of the mapped sections.
    private let sections: [Range<Int>]
    private var dice: SeededGenerator

    init(of bytes: [UInt8], seed: UInt64) throws {
        self.bytes = bytes
        dice = SeededGenerator(seed: seed)
        // Of the ELF header: offset, entry size and count of the section headers.
        let table = Self.number(in: bytes, at: 40, size: 8)
        let size = Self.number(in: bytes, at: 58, size: 2)
        let headers = (0..<Self.number(in: bytes, at: 60, size: 2)).map { table + $0 * size }
        guard headers.allSatisfy({ $0 + 40 <= bytes.count }) else { throw HostFailure("no section headers") }
        sections = headers.compactMap { header in
            let type = Self.number(in: bytes, at: header + 4, size: 4)
            let isMapped = Self.number(in: bytes, at: header + 8, size: 8) & 2 != 0
            let start = Self.number(in: bytes, at: header + 24, size: 8)
            let length = Self.number(in: bytes, at: header + 32, size: 8)
            // 7 is a note, 8 a section without contents.
            guard isMapped, ![7, 8].contains(type), length > 0, start + length <= bytes.count else { return nil }
            return start..<start + length
        }
        if sections.isEmpty { throw HostFailure("no mapped sections") }
    }

    private static func number(in bytes: [UInt8], at offset: Int, size: Int) -> Int {
        guard offset + size <= bytes.count else { return 0 }
        return bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func next() -> [UInt8] {
        if Int.random(in: 0..<10, using: &dice) == 0 {
            let end = sections.map(\.upperBound).max() ?? 0
            return Array(bytes.prefix(Int.random(in: end...bytes.count, using: &dice)))
        }
        var changed = bytes
        for _ in 0...Int.random(in: 0..<3, using: &dice) {
            changed[place()] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
        }
        return changed
    }

    /// A random place in the sections, each byte with the same probability.
    private mutating func place() -> Int {
        var rest = Int.random(in: 0..<sections.map(\.count).reduce(0, +), using: &dice)
        for section in sections {
            if rest < section.count { return section.lowerBound + rest }
            rest -= section.count
        }
        return sections[0].lowerBound
    }
}
