// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A header of the archive format ustar of POSIX, for one regular file. Only name and size have a meaning in a pack:
/// the installer sets mode, owner and time of every file itself.
struct UstarHeader: Hashable {
    /// The size of a block in bytes. A header is one block; the contents of a file are padded to whole blocks.
    static let blockSize = 512
    /// The largest size of a file, in bytes, that the size field of a header can contain.
    static let largestSize = 0o77_777_777_777

    let name: String
    let size: Int

    private enum Part {
        static let name = 0..<100
        static let mode = 100..<108
        static let owner = 108..<116
        static let group = 116..<124
        static let size = 124..<136
        static let time = 136..<148
        static let checksum = 148..<156
        static let type = 156
        static let link = 157..<257
        static let magic = 257..<265
        static let prefix = 345..<500
    }

    private static let magic = Array("ustar".utf8) + [0] + Array("00".utf8)
    private static let regularFile = UInt8(ascii: "0")

    /// Creates the header of a file; nil when its name or its size does not fit into the format.
    init?(name: String, size: Int) {
        guard (0...Self.largestSize).contains(size), Self.parts(of: name) != nil, PackName.flaw(of: name) == nil else {
            return nil
        }
        (self.name, self.size) = (name, size)
    }

    /// Reads a header. Everything that the installer would have to interpret is refused.
    init(block: [UInt8]) throws(PackFlaw) {
        guard Self.hasMagic(block) else { throw PackFlaw("has no header in the format ustar of POSIX") }
        guard Self.number(block[Part.checksum]) == Self.checksum(of: block) else {
            throw PackFlaw("has a header with a wrong checksum")
        }
        guard block[Part.type] == Self.regularFile else {
            throw PackFlaw("is \(Self.kind(of: block[Part.type])), but a pack has regular files only")
        }
        guard block[Part.link].allSatisfy({ $0 == 0 }) else {
            throw PackFlaw("has the target of a link, but a pack has regular files only")
        }
        guard let end = Self.text(block[Part.name]), let start = Self.text(block[Part.prefix]) else {
            throw PackFlaw("has a name that is not UTF-8 text padded with NUL")
        }
        let name = start.isEmpty ? end : "\(start)/\(end)"
        if let flaw = PackName.flaw(of: name) { throw PackFlaw("has the name \(name.inQuotes), which \(flaw)") }
        guard let size = Self.number(block[Part.size]) else {
            throw PackFlaw("has a size that is not an octal number")
        }
        (self.name, self.size) = (name, size)
    }

    /// The header with fixed values for mode, owner and time: equal files make equal packs.
    var block: [UInt8] {
        var block = [UInt8](repeating: 0, count: Self.blockSize)
        func put(_ bytes: some Sequence<UInt8>, at part: Range<Int>) {
            for (index, byte) in zip(part, bytes) { block[index] = byte }
        }
        let (prefix, rest) = Self.parts(of: name) ?? ("", name)
        put(rest.utf8, at: Part.name)
        put(prefix.utf8, at: Part.prefix)
        put(Self.octal(0o644, digits: 7), at: Part.mode)
        put(Self.octal(0, digits: 7), at: Part.owner)
        put(Self.octal(0, digits: 7), at: Part.group)
        put(Self.octal(size, digits: 11), at: Part.size)
        put(Self.octal(0, digits: 11), at: Part.time)
        put(Self.magic, at: Part.magic)
        block[Part.type] = Self.regularFile
        put(Self.octal(Self.checksum(of: block), digits: 6) + [0, UInt8(ascii: " ")], at: Part.checksum)
        return block
    }

    /// The number of bytes after contents of a size, up to the next block.
    static func padding(after size: Int) -> Int { (blockSize - size % blockSize) % blockSize }

    static func hasMagic(_ block: [UInt8]) -> Bool {
        block.count == blockSize && block[Part.magic].elementsEqual(magic)
    }

    // MARK: Fields

    /// The sum of all bytes; those of the checksum itself count as spaces.
    private static func checksum(of block: [UInt8]) -> Int {
        block.indices.reduce(0) { $0 + (Part.checksum.contains($1) ? 0x20 : Int(block[$1])) }
    }

    private static func octal(_ number: Int, digits: Int) -> [UInt8] {
        let text = String(number, radix: 8)
        return Array((String(repeating: "0", count: max(0, digits - text.utf8.count)) + text).utf8)
    }

    /// An octal number: at least one digit, then nothing but NUL and spaces; nil for every other text.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        let digits = field.prefix { (0x30...0x37).contains($0) }
        guard !digits.isEmpty, field.dropFirst(digits.count).allSatisfy({ $0 == 0 || $0 == 0x20 }) else { return nil }
        return digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }
    }

    /// The text before the first NUL; nil when bytes follow the NUL, or the text is not UTF-8.
    private static func text(_ field: ArraySlice<UInt8>) -> String? {
        let bytes = field.prefix { $0 != 0 }
        guard field.dropFirst(bytes.count).allSatisfy({ $0 == 0 }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Prefix and rest of a name, divided at a slash; nil when the name is too long.
    private static func parts(of name: String) -> (prefix: String, rest: String)? {
        if name.utf8.count <= Part.name.count { return ("", name) }
        let slash = name.indices.first { name[$0] == "/" && name[$0...].utf8.count - 1 <= Part.name.count }
        guard let slash, name[..<slash].utf8.count <= Part.prefix.count else { return nil }
        return (String(name[..<slash]), String(name[slash...].dropFirst()))
    }

    private static func kind(of type: UInt8) -> String {
        switch type {
        case UInt8(ascii: "1"): "a hard link"
        case UInt8(ascii: "2"): "a symbolic link"
        case UInt8(ascii: "3"), UInt8(ascii: "4"): "a device"
        case UInt8(ascii: "5"): "a directory"
        case UInt8(ascii: "6"): "a named pipe"
        case UInt8(ascii: "x"), UInt8(ascii: "g"): "a header with pax extensions"
        case UInt8(ascii: "L"), UInt8(ascii: "K"): "a long name in the format of GNU tar"
        default: "an entry of the type \(type)"
        }
    }
}
