// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Reads big-endian numbers from bytes. A read beyond the end returns nil.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        bytes(Number.bitWidth / 8).map { $0.reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) } }
    }

    /// Reads `count` numbers of the type; nil when there are fewer, however large `count` is.
    mutating func numbers<Number: FixedWidthInteger>(_: Number.Type, _ count: Int) -> [Number]? {
        guard count >= 0, count <= rest.count else { return nil }
        var numbers: [Number] = []
        for _ in 0..<count {
            guard let next = number(Number.self) else { return nil }
            numbers.append(next)
        }
        return numbers
    }

    /// Reads the bytes up to the next line feed, which is consumed as well; nil when there is none.
    mutating func line() -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 0x0a) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }
}
