// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Tells whether a binary property list can be read in a time that its size allows. Reads structure, no values.
///
/// In this format a container holds references, and two of them may lead to the same container: thirty arrays that hold
/// the next one twice make a billion. No writer produces that, so each container may be held once.
enum BinaryPropertyListGuard {
    private static let trailerSize = 32

    static func isBounded(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 8 + trailerSize else { return false }
        let trailer = bytes.count - trailerSize
        let offsetSize = Int(bytes[trailer + 6])
        let referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let objectCount = number(in: bytes, at: trailer + 8, size: 8),
            let table = number(in: bytes, at: trailer + 24, size: 8),
            objectCount <= bytes.count, table <= trailer, objectCount * offsetSize <= trailer - table
        else { return false }

        var held: Set<Int> = []
        var references = 0
        for object in 0..<objectCount {
            guard let offset = number(in: bytes, at: table + object * offsetSize, size: offsetSize),
                let children = children(of: offset, in: bytes, end: table, referenceSize: referenceSize)
            else { return false }
            references += children.count / referenceSize
            // Objects that overlap could each claim the same references.
            if references > bytes.count { return false }
            for place in stride(from: children.lowerBound, to: children.upperBound, by: referenceSize) {
                guard let child = number(in: bytes, at: place, size: referenceSize), child < objectCount,
                    let target = number(in: bytes, at: table + child * offsetSize, size: offsetSize), target < table
                else { return false }
                if isContainer(bytes[target]), !held.insert(target).inserted { return false }
            }
        }
        return true
    }

    /// Where a container's references stand; empty for every other object, nil when they reach out of the file.
    private static func children(of offset: Int, in bytes: [UInt8], end: Int, referenceSize: Int) -> Range<Int>? {
        guard offset >= 8, offset < end else { return nil }
        let marker = bytes[offset]
        guard isContainer(marker) else { return offset..<offset }
        var start = offset + 1
        var count = Int(marker & 0xf)
        if count == 0xf {
            // The count follows as an integer object of its own.
            guard start < end, bytes[start] >> 4 == 1, bytes[start] & 0xf <= 3 else { return nil }
            let size = 1 << Int(bytes[start] & 0xf)
            guard let long = number(in: bytes, at: start + 1, size: size), long <= bytes.count else { return nil }
            count = long
            start += 1 + size
        }
        let length = count * referenceSize * (marker >> 4 == 0xd ? 2 : 1)
        return start + length <= end ? start..<start + length : nil
    }

    /// Arrays, sets of both kinds, dictionaries.
    private static func isContainer(_ marker: UInt8) -> Bool { (0xa...0xd).contains(marker >> 4) }

    /// Big-endian; nil outside of the file or beyond what a file can have.
    private static func number(in bytes: [UInt8], at offset: Int, size: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        let value = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: value).flatMap { $0 <= Int(Int32.max) ? $0 : nil }
    }
}
