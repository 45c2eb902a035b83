// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The root dictionary of a binary property list. Values are read only on request.
///
/// The system's reader is not used, because it follows every reference. In this format thirty arrays that each contain
/// the next one twice expand to a billion values. This reader rejects structures that no manifest has: nested
/// containers and very long texts.
struct BinaryPropertyList {
    private static let longestText = 4096
    private static let longestKey = 255
    private static let longestArray = 10_000
    private static let headerSize = 8
    private static let trailerSize = 32

    private let bytes: [UInt8]
    private let offsetTable: Int
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    /// Offset of the references to the root's keys; the references to its values follow them.
    private var rootKeys = 0
    private var rootCount = 0

    /// Reads the structure; nil when the file is damaged or its root is not a dictionary.
    init?(bytes: [UInt8]) {
        guard bytes.count >= Self.headerSize + Self.trailerSize, bytes.starts(with: Array("bplist0".utf8)) else {
            return nil
        }
        self.bytes = bytes
        let trailer = bytes.count - Self.trailerSize
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(in: bytes, at: trailer + 8, size: 8),
            let root = Self.number(in: bytes, at: trailer + 16, size: 8),
            let table = Self.number(in: bytes, at: trailer + 24, size: 8),
            count <= bytes.count, table <= trailer, count * offsetSize <= trailer - table, root < count,
            let place = Self.number(in: bytes, at: table + root * offsetSize, size: offsetSize)
        else { return nil }
        (objectCount, offsetTable) = (count, table)

        guard let dictionary = object(at: place, of: 0xd),
            dictionary.count * 2 * referenceSize <= table - dictionary.start
        else { return nil }
        (rootKeys, rootCount) = (dictionary.start, dictionary.count)
    }

    /// The value of a key of the root dictionary; nil when the root has no such key that is stored as ASCII text.
    func value(for key: String) -> PropertyListValue? {
        let wanted = Array(key.utf8)
        for entry in 0..<rootCount {
            guard let place = target(ofReferenceAt: rootKeys + entry * referenceSize),
                let name = object(at: place, of: 0x5), name.count == wanted.count,
                name.count <= bytes.count - name.start,
                bytes[name.start..<name.start + name.count].elementsEqual(wanted)
            else { continue }
            return value(ofReferenceAt: rootKeys + (rootCount + entry) * referenceSize)
        }
        return nil
    }

    /// Keys that occur more than once in the root. Keys longer than every manifest key are not compared.
    var repeatedKeys: [String] {
        var seen: Set<ArraySlice<UInt8>> = []
        var repeated: Set<String> = []
        for entry in 0..<rootCount {
            guard let place = target(ofReferenceAt: rootKeys + entry * referenceSize),
                let name = object(at: place, of: 0x5), name.count <= Self.longestKey,
                name.count <= bytes.count - name.start
            else { continue }
            let text = bytes[name.start..<name.start + name.count]
            if !seen.insert(text).inserted { repeated.insert(String(decoding: text, as: UTF8.self)) }
        }
        return repeated.sorted()
    }

    /// The keys of the root that begin with the prefix, in any encoding, sorted.
    func keys(withPrefix prefix: String) -> [String] {
        let names = (0..<rootCount).compactMap { entry in
            target(ofReferenceAt: rootKeys + entry * referenceSize).flatMap(text)
        }
        return Set(names.filter { $0.hasPrefix(prefix) }).sorted()
    }

    private func value(ofReferenceAt place: Int) -> PropertyListValue {
        guard let target = target(ofReferenceAt: place) else { return .other }
        if let text = text(at: target) { return .string(text) }
        if let flag = flag(at: target) { return .boolean(flag) }
        guard let array = object(at: target, of: 0xa), array.count <= Self.longestArray,
            array.count * referenceSize <= offsetTable - array.start
        else { return .other }
        return .array(
            (0..<array.count).map { item in
                self.target(ofReferenceAt: array.start + item * referenceSize).flatMap(text).map(
                    PropertyListValue.string
                )
                    ?? .other
            }
        )
    }

    private func text(at place: Int) -> String? {
        if let ascii = object(at: place, of: 0x5), ascii.count <= Self.longestText,
            ascii.count <= bytes.count - ascii.start
        {
            return String(validating: bytes[ascii.start..<ascii.start + ascii.count], as: UTF8.self)
        }
        if let wide = object(at: place, of: 0x6), wide.count <= Self.longestText,
            wide.count * 2 <= bytes.count - wide.start
        {
            let units = (0..<wide.count).map {
                UInt16(bytes[wide.start + $0 * 2]) << 8 | UInt16(bytes[wide.start + $0 * 2 + 1])
            }
            return String(validating: units, as: UTF16.self)
        }
        return nil
    }

    private func flag(at place: Int) -> Bool? {
        guard place >= Self.headerSize, place < offsetTable else { return nil }
        switch bytes[place] {
        case 0x8: return false
        case 0x9: return true
        default: return nil
        }
    }

    // MARK: Structure

    /// Start and count of an object's items; nil for an object of another type, or outside of the file.
    private func object(at place: Int, of type: UInt8) -> (start: Int, count: Int)? {
        guard place >= Self.headerSize, place < offsetTable, bytes[place] >> 4 == type else { return nil }
        let count = Int(bytes[place] & 0xf)
        if count < 0xf { return (place + 1, count) }
        // The count follows as an integer object of its own.
        guard place + 1 < offsetTable, bytes[place + 1] >> 4 == 1, bytes[place + 1] & 0xf <= 3 else { return nil }
        let size = 1 << Int(bytes[place + 1] & 0xf)
        guard let long = Self.number(in: bytes, at: place + 2, size: size), long <= bytes.count else { return nil }
        return (place + 2 + size, long)
    }

    private func target(ofReferenceAt place: Int) -> Int? {
        guard let object = Self.number(in: bytes, at: place, size: referenceSize), object < objectCount else {
            return nil
        }
        return Self.number(in: bytes, at: offsetTable + object * offsetSize, size: offsetSize)
    }

    /// A big-endian number; nil when it lies outside of the file, or exceeds the size of any file.
    private static func number(in bytes: [UInt8], at offset: Int, size: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        let value = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value <= UInt64(Int32.max) ? Int(value) : nil
    }
}

/// A value of a property list, of the types that manifests use.
enum PropertyListValue {
    case string(String)
    case array([PropertyListValue])
    case boolean(Bool)
    case other
}
