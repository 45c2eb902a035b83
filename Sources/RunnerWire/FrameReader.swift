// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Decodes the fields of one frame, in the order in which `FrameWriter` encoded them. It never reads beyond the frame,
/// and throws a `WireError` for malformed input.
package struct FrameReader {
    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    /// Creates a reader of a part of the bytes.
    ///
    /// - Parameter range: the bytes to read, such as type and fields of a frame.
    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var remaining: Int { end - position }

    mutating func integer<Value: FixedWidthInteger>(_ field: StaticString) throws(WireError) -> Value {
        let start = try advance(by: Value.bitWidth / 8, field)
        let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: Value.self) }
        return Value(littleEndian: value)
    }

    mutating func flag(_ field: StaticString) throws(WireError) -> Bool {
        switch try integer(field) as UInt8 {
        case 0: return false
        case 1: return true
        case let other: throw unknown("\(other)", field)
        }
    }

    mutating func value<Value: RawRepresentable>(_ field: StaticString) throws(WireError) -> Value
    where Value.RawValue: FixedWidthInteger {
        let raw: Value.RawValue = try integer(field)
        guard let value = Value(rawValue: raw) else { throw unknown("\(raw)", field) }
        return value
    }

    mutating func text(_ field: StaticString) throws(WireError) -> String {
        let start = try advance(by: count(field), field)
        guard let text = String(validating: bytes[start..<position], as: UTF8.self) else {
            throw WireError(code: .invalidText, message: "\(field): not UTF-8")
        }
        return text
    }

    /// Reads a string that `make` converts to a type such as an identifier. Throws when `make` returns nil.
    mutating func name<Name>(_ field: StaticString, _ make: (String) -> Name?) throws(WireError) -> Name {
        let text = try text(field)
        guard let name = make(text) else {
            throw WireError(
                code: .unknownValue,
                message: "\(field): \"\(text.prefix(300))\" is not a valid value in this version"
            )
        }
        return name
    }

    mutating func bytes(_ field: StaticString) throws(WireError) -> [UInt8] {
        let start = try advance(by: count(field), field)
        return Array(bytes[start..<position])
    }

    /// Reads a list.
    ///
    /// - Parameter minimumSize: minimum size of an element in bytes, so that a forged count cannot reserve memory.
    mutating func list<Element>(
        _ field: StaticString,
        minimumSize: Int,
        each read: (inout Self) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        let count = try count(field)
        guard count <= remaining / minimumSize else {
            throw short(field, wanted: "\(count) elements of at least \(minimumSize) bytes")
        }
        var list: [Element] = []
        list.reserveCapacity(count)
        for _ in 0..<count { list.append(try read(&self)) }
        return list
    }

    /// Throws if bytes follow the last field of the frame.
    func finish() throws(WireError) {
        guard remaining == 0 else {
            throw WireError(
                code: .trailingBytes,
                message: "bytes after the last field of the message: \(remaining)"
            )
        }
    }

    private mutating func count(_ field: StaticString) throws(WireError) -> Int {
        Int(try integer(field) as UInt32)
    }

    private mutating func advance(by count: Int, _ field: StaticString) throws(WireError) -> Int {
        guard count <= remaining else { throw short(field, wanted: "\(count) bytes") }
        defer { position += count }
        return position
    }

    private func short(_ field: StaticString, wanted: String) -> WireError {
        WireError(code: .tooShort, message: "\(field): \(wanted) expected, but bytes left in the message: \(remaining)")
    }

    private func unknown(_ value: String, _ field: StaticString) -> WireError {
        WireError(code: .unknownValue, message: "\(field): \(value) is unknown to this version")
    }
}
