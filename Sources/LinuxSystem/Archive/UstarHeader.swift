// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The reason why a block is not a header that a reader accepts. The message completes a sentence that begins with the
/// place of the block.
package struct UstarFlaw: Error, Hashable {
    package let message: String

    init(_ message: String) { self.message = message }
}

/// A header of the archive format ustar of POSIX, for one regular file. Only name and size have a meaning: readers set
/// mode, owner and time of every file themselves.
package struct UstarHeader: Hashable {
    /// The size of a block in bytes. A header is one block; the contents of a file are padded to whole blocks.
    package static let blockSize = 512
    /// The largest size of a file, in bytes, that the size field of a header can contain as an octal number.
    package static let largestSize = 0o77_777_777_777

    package let name: String
    package let size: Int

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
    ///
    /// - Parameter largest: the largest permitted size. Sizes above `largestSize` are written as GNU tar writes them,
    ///   which every usual program reads.
    package init?(name: String, size: Int, upTo largest: Int = largestSize) {
        guard size >= 0, size <= largest, Self.parts(of: name) != nil else { return nil }
        (self.name, self.size) = (name, size)
    }

    /// Reads a header. Everything that a reader would have to interpret is refused. The rules for names are those of
    /// the caller.
    ///
    /// - Parameter allowsLarge: whether a size above `largestSize` is accepted.
    package init(block: [UInt8], allowsLarge: Bool = false) throws(UstarFlaw) {
        guard Self.hasMagic(block) else { throw UstarFlaw("has no header in the format ustar of POSIX") }
        guard Self.number(block[Part.checksum]) == Self.checksum(of: block) else {
            throw UstarFlaw("has a header with a wrong checksum")
        }
        guard block[Part.type] == Self.regularFile else {
            throw UstarFlaw("is \(Self.kind(of: block[Part.type])), but only regular files are allowed")
        }
        guard block[Part.link].allSatisfy({ $0 == 0 }) else {
            throw UstarFlaw("has the target of a link, but only regular files are allowed")
        }
        guard let end = Self.text(block[Part.name]), let start = Self.text(block[Part.prefix]) else {
            throw UstarFlaw("has a name that is not UTF-8 text padded with NUL")
        }
        let name = start.isEmpty ? end : "\(start)/\(end)"
        guard let size = Self.number(block[Part.size]) ?? (allowsLarge ? Self.largeNumber(block[Part.size]) : nil)
        else {
            throw UstarFlaw("has a size that is not an octal number")
        }
        (self.name, self.size) = (name, size)
    }

    /// The header with fixed values for mode, owner and time: equal files make equal packs.
    package var block: [UInt8] {
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
        put(size > Self.largestSize ? Self.binary(size) : Self.octal(size, digits: 11), at: Part.size)
        put(Self.octal(0, digits: 11), at: Part.time)
        put(Self.magic, at: Part.magic)
        block[Part.type] = Self.regularFile
        put(Self.octal(Self.checksum(of: block), digits: 6) + [0, UInt8(ascii: " ")], at: Part.checksum)
        return block
    }

    /// The number of bytes after contents of a size, up to the next block.
    package static func padding(after size: Int) -> Int { (blockSize - size % blockSize) % blockSize }

    package static func hasMagic(_ block: [UInt8]) -> Bool {
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

    /// A size above `largestSize` in the form of GNU tar: the first bit is set, and the rest is the number with its
    /// most significant byte first.
    private static func binary(_ number: Int) -> [UInt8] {
        let bytes = withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
        return [0x80] + [UInt8](repeating: 0, count: Part.size.count - 1 - bytes.count) + bytes
    }

    /// The size in the form of `binary`; nil for every other text, and for a size with an octal form.
    private static func largeNumber(_ field: ArraySlice<UInt8>) -> Int? {
        guard field.first == 0x80, field.dropFirst().dropLast(8).allSatisfy({ $0 == 0 }) else { return nil }
        let number = field.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: number).flatMap { $0 > largestSize ? $0 : nil }
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
