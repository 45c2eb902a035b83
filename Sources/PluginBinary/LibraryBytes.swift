// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem

/// Reads ranges of one open file, never past its end. The file is not mapped into memory, because access to a mapped
/// file that shrinks would kill the process.
struct LibraryBytes {
    /// Maximum size of one read in bytes. It is far above every table of a real library, and protects against forged
    /// sizes.
    static let largestRead: UInt64 = 64 << 20

    let descriptor: CInt
    let size: UInt64

    func read(at offset: UInt64, count: UInt64) throws(PluginBinaryProblem.Kind) -> ByteBlock {
        guard offset <= size, count <= size - offset else { throw .truncated }
        guard count <= Self.largestRead else { throw .damaged("a table has the implausible size of \(count) bytes") }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileBytes.range(of: descriptor, from: Int(offset), count: Int(count), for: "read a library")
        } catch {
            throw .unreadable(errno: error.number)
        }
        // The file has shrunk since its size was read.
        guard bytes.count == Int(count) else { throw .truncated }
        return ByteBlock(bytes)
    }
}

/// Bytes of a library, with bounds-checked little-endian reads.
struct ByteBlock {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    func integer<Number: FixedWidthInteger>(
        at offset: Int,
        as type: Number.Type = Number.self
    ) throws(PluginBinaryProblem.Kind) -> Number {
        guard offset >= 0, offset <= bytes.count - MemoryLayout<Number>.size else {
            throw .damaged("a table ends inside an entry")
        }
        return bytes.withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
    }

    /// Whether the `count` bytes at `offset` equal `expected`.
    func holds(_ expected: [UInt8], at offset: Int, count: Int) -> Bool {
        count == expected.count && starts(with: expected, at: offset)
    }

    func starts(with expected: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, offset <= bytes.count - expected.count else { return false }
        return bytes[offset..<offset + expected.count].elementsEqual(expected)
    }

    /// The ranges of offsets at which a NUL-terminated text that contains `wanted` may begin, one for each of the first
    /// 64 occurrences: from the byte after the preceding NUL to the occurrence.
    func beginnings(ofTextsContaining wanted: String) -> [ClosedRange<Int>] {
        let wanted = Array(wanted.utf8)
        var found: [ClosedRange<Int>] = []
        var offset = 0
        while found.count < 64, let place = place(of: wanted, from: offset) {
            let end = bytes[..<place].lastIndex(of: 0)
            found.append((end.map { $0 + 1 } ?? 0)...place)
            offset = place + wanted.count
        }
        return found
    }

    private func place(of wanted: [UInt8], from offset: Int) -> Int? {
        guard let first = wanted.first, wanted.count <= bytes.count else { return nil }
        let last = bytes.count - wanted.count
        return bytes.withUnsafeBytes { bytes -> Int? in
            guard let start = bytes.baseAddress else { return nil }
            var place = offset
            while place <= last, let found = memchr(start + place, CInt(first), last + 1 - place) {
                place = UnsafeRawPointer(found) - start
                if memcmp(found, wanted, wanted.count) == 0 { return place }
                place += 1
            }
            return nil
        }
    }

    /// The text at `offset` up to the next NUL, at most 1,024 bytes, for messages. Invalid UTF-8 is repaired.
    func text(at offset: Int) -> String {
        guard bytes.indices.contains(offset) else { return "" }
        return String(decoding: bytes[offset...].prefix(1024).prefix { $0 != 0 }, as: UTF8.self)
    }
}
